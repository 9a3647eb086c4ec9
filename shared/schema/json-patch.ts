// JSON patch (RFC 6902), as upstream's library applies it: `replace` also sets absent values, and negative indices count from the end. A
// patch that does not apply is always the same 422.
import { WorkMeter } from "../k8s/bounds/work.ts";
import { ApiError } from "../k8s/status.ts";
import { copyJson, type JsonObject, isObject, setKey } from "./json-values.ts";
import { unprocessable } from "./wording.ts";

const maxJSONPatchOperations = 10_000;
/** The limit of bytes that `copy` may add in one patch. */
const jsonPatchMaxCopyBytes = 3 * 1024 * 1024;
/** The limit of items that all insertions and removals in lists may move; moving so many takes 50 ms. */
const maxMovedItems = 50_000_000;

/** The work of an operation, of a character of its paths, and of an item of a list that it moves. */
const workOf = { operation: 1.5, character: 0.02, movedItem: 0.001 } as const;

/** Returns the patched value, which shares nothing with the target. The meter is charged for the operations before they are applied. */
export function jsonPatch(target: unknown, patch: unknown, meter = new WorkMeter()): unknown {
  const operations = readOperations(patch);
  const document: Document = { root: copyJson(target), copiedBytes: 0, opened: new Set(), movedItems: 0, meter };
  for (const operation of operations) {
    const { path, from } = operation;
    meter.charge(workOf.operation + workOf.character * ((path?.length ?? 0) + (from?.length ?? 0)));
    apply(document, operation);
  }
  for (const holder of document.opened) sortKeys(holder);
  return document.root;
}

/** Returns the paths of fields that no operation has: `[0].vaule`. */
export function unknownOperationFields(patch: unknown): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation, index) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((key) => !["op", "path", "from", "value"].includes(key))
          .map((key) => `[${index}].${key}`)
      : [],
  );
}

/**
 * The error of a patch that does not apply. Upstream's API server has one message for all; `why` is its library's error, which is shown for
 * patches of webhooks.
 */
export class Inapplicable extends ApiError {
  readonly why: string;
  constructor(why: string) {
    const { code, reason, message, details } = unprocessable();
    super(code, reason, message, details);
    this.why = why;
  }
}

/** The error of a failed `test`, which most callers treat like any patch that does not apply. */
export class FailedTest extends Inapplicable {}

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: unknown;
}

interface Document {
  root: unknown;
  copiedBytes: number;
  /** Objects that operations went into: the library writes these with sorted keys. */
  readonly opened: Set<unknown[] | JsonObject>;
  /** Items of lists that were moved by insertions and removals. */
  movedItems: number;
  readonly meter: WorkMeter;
}

function readOperations(patch: unknown): readonly Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, "value of type []handlers.jsonPatchOp");
  for (const operation of patch) {
    if (operation === null) continue;
    if (!isObject(operation)) throw undecodable(operation, "value of type handlers.jsonPatchOp");
    for (const key of ["op", "path", "from"]) {
      const text = operation[key];
      if (text === undefined || text === null || typeof text === "string") continue;
      throw undecodable(text, `struct field jsonPatchOp.${key} of type string`);
    }
  }
  if (patch.length > maxJSONPatchOperations) {
    throw new ApiError(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJSONPatchOperations}, got ${patch.length}`,
    );
  }
  return patch.map((operation: unknown) => operation ?? {});
}

function undecodable(value: unknown, target: string): ApiError {
  const type = typeof value === "boolean" ? "bool" : typeof value;
  const word = Array.isArray(value) ? "array" : type;
  return ApiError.badRequest(`error decoding patch: json: cannot unmarshal ${word} into Go ${target}`);
}

const missing = "missing value";
const noPath = `operation missing path field: ${missing}`;
const noFrom = `operation, missing from field: ${missing}`;

function apply(document: Document, operation: Operation): void {
  const { op, path } = operation;
  switch (op) {
    case "add":
      return add(document, operation);
    case "remove": {
      const undecoded = `remove operation failed to decode path: ${missing}`;
      const place = find(
        document,
        path,
        undecoded,
        (at) => `remove operation does not apply: doc is missing path: "${at}"`,
      );
      return within(`error in remove for path: '${path ?? ""}'`, () => remove(document, place));
    }
    case "replace":
      return replace(document, operation);
    case "move":
      return move(document, operation);
    case "copy":
      return copy(document, operation);
    case "test":
      return test(document, operation);
    default:
      throw new Inapplicable(`Unexpected kind: ${op ?? "unknown"}`);
  }
}

/** A location in the document: its container, and the key there. */
interface Place {
  readonly holder: unknown[] | JsonObject;
  readonly key: string;
}

/** Finds a location. `undecoded` is the error of a missing path, `lost` that of a path that leads nowhere. */
function find(
  document: Document,
  path: string | null | undefined,
  undecoded: string,
  lost: (path: string) => string,
): Place {
  if (typeof path !== "string") throw new Inapplicable(undecoded);
  const away = () => new Inapplicable(`${lost(path)}: ${missing}`);
  const [, ...segments] = path.split("/");
  const key = segments.pop();
  if (key === undefined) throw away();
  let holder = holderOf(document.root);
  if (holder) document.opened.add(holder);
  for (const segment of segments) {
    const next: unknown = holder && attempt(holder, unescapeKey(segment));
    holder = holderOf(next);
    if (holder) document.opened.add(holder);
  }
  if (!holder) throw away();
  return { holder, key: unescapeKey(key) };
}

function sortKeys(holder: unknown[] | JsonObject): void {
  if (Array.isArray(holder)) return;
  for (const key of Object.keys(holder).sort()) {
    const value = holder[key];
    delete holder[key];
    setKey(holder, key, value);
  }
}

function attempt(holder: unknown[] | JsonObject, key: string): unknown {
  try {
    return get({ holder, key });
  } catch (error) {
    if (error instanceof Inapplicable) return undefined;
    throw error;
  }
}

function holderOf(value: unknown): unknown[] | JsonObject | undefined {
  return Array.isArray(value) || isObject(value) ? value : undefined;
}

/** Runs a function and prefixes its errors. */
function within<T>(where: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof Inapplicable) throw new Inapplicable(`${where}: ${error.why}`);
    throw error;
  }
}

function unescapeKey(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the value at a location; null if an object does not have the key. */
function get({ holder, key }: Place): unknown {
  if (!Array.isArray(holder)) return Object.hasOwn(holder, key) ? holder[key] : null;
  return holder[indexOf(key, holder.length)];
}

function add(document: Document, { path, value = null }: Operation): void {
  const undecoded = `add operation failed to decode path: ${missing}`;
  const place = find(document, path, undecoded, (at) => `add operation does not apply: doc is missing path: "${at}"`);
  within(`error in add for path: '${path ?? ""}'`, () => put(document, place, copyJson(value)));
}

/** Charges for the items that an insertion or a removal moves. */
function moving(document: Document, list: unknown[]): unknown[] {
  document.movedItems += list.length;
  document.meter.charge(workOf.movedItem * list.length);
  if (document.movedItems <= maxMovedItems) return list;
  const why = `Request entity too large: The allowed maximum of list items moved by a JSON patch is ${maxMovedItems}`;
  throw new ApiError(413, "RequestEntityTooLarge", why);
}

function put(document: Document, { holder, key }: Place, value: unknown): void {
  if (!Array.isArray(holder)) setKey(holder, key, value);
  else if (key === "-") holder.push(value);
  else
    moving(document, holder).splice(indexOf(key, holder.length + 1, "value was not a proper array index: "), 0, value);
}

function remove(document: Document, { holder, key }: Place): void {
  if (Array.isArray(holder)) {
    moving(document, holder).splice(indexOf(key, holder.length), 1);
  } else {
    if (!Object.hasOwn(holder, key)) throw new Inapplicable(`Unable to remove nonexistent key: ${key}: ${missing}`);
    delete holder[key];
  }
}

function replace(document: Document, { path, value = null }: Operation): void {
  if (path === "") {
    const root = holderOf(value);
    if (!root) throw new Inapplicable("replace operation value must be object or array: %!w(<nil>)");
    document.root = copyJson(root);
    return;
  }
  const undecoded = `replace operation failed to decode path: ${noPath}`;
  const lost = (at: string) => `replace operation does not apply: doc is missing path: ${at}`;
  const { holder, key } = find(document, path, undecoded, lost);
  if (!Array.isArray(holder)) {
    setKey(holder, key, copyJson(value));
    return;
  }
  if (attempt(holder, key) === undefined) {
    throw new Inapplicable(`replace operation does not apply: doc is missing key: ${path ?? ""}: ${missing}`);
  }
  holder[indexOf(key, holder.length)] = copyJson(value);
}

function move(document: Document, { from, path }: Operation): void {
  const source = find(
    document,
    from,
    `move operation failed to decode from: ${noFrom}`,
    (at) => `move operation does not apply: doc is missing from path: ${at}`,
  );
  const value = within(`error in move for path: '${source.key}'`, () => {
    const moved = get(source);
    remove(document, source);
    return moved;
  });
  const lost = (at: string) => `move operation does not apply: doc is missing destination path: ${at}`;
  const target = find(document, path, `move operation failed to decode path: ${noPath}`, lost);
  within(`error in move for path: '${path ?? ""}'`, () => put(document, target, value));
}

function copy(document: Document, { from, path }: Operation): void {
  const source = find(
    document,
    from,
    `copy operation failed to decode from: ${noFrom}`,
    (at) => `copy operation does not apply: doc is missing from path: ${at}`,
  );
  const value = within(`error in copy for from: '${from ?? ""}'`, () => get(source));
  const lost = (at: string) => `copy operation does not apply: doc is missing destination path: ${at}`;
  const target = find(document, path, `copy operation failed to decode path: ${missing}`, lost);
  document.copiedBytes += JSON.stringify(value).length;
  if (document.copiedBytes > jsonPatchMaxCopyBytes) {
    const why = `Unable to complete the copy, the accumulated size increase of copy is ${document.copiedBytes}, exceeding the limit ${jsonPatchMaxCopyBytes}`;
    throw new Inapplicable(why);
  }
  within("error while adding value during copy", () => put(document, target, copyJson(value)));
}

function test(document: Document, { path, value = null }: Operation): void {
  const actual = path === "" ? document.root : tested(document, path);
  if (!isEqual(actual, value)) throw new FailedTest(`testing value ${path ?? ""} failed: test failed`);
}

function tested(document: Document, path: string | null | undefined): unknown {
  const lost = (at: string) => `test operation does not apply: is missing path: ${at}`;
  const place = find(document, path, `test operation failed to decode path: ${noPath}`, lost);
  return within(`error in test for path: '${path ?? ""}'`, () => get(place));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

/** Returns the index that a key names in a list of a length. Leading zeros and a sign are parsed like Go's `Atoi`. */
function indexOf(key: string, length: number, prefix = ""): number {
  if (!/^[+-]?[0-9]+$/.test(key)) {
    const parse = `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
    throw new Inapplicable(prefix ? `${prefix}'${key}': ${parse}` : parse);
  }
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  if (index < 0 || index >= length) {
    throw new Inapplicable(`Unable to access invalid index: ${Number(key)}: invalid index referenced`);
  }
  return index;
}
