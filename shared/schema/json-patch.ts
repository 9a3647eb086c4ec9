// JSON patch (RFC 6902), as the library that upstream uses applies it: `replace` also sets what is not there, negative
// indices count from the end. Everything that does not apply is one and the same 422.
import { ApiError } from "../k8s/status.ts";
import { copyJson, type JsonObject, isObject, setKey } from "./json-values.ts";
import { unprocessable } from "./wording.ts";

/** Upstream's `maxJSONPatchOperations`. */
const maxOperations = 10_000;
/** Bytes that `copy` may add in one patch; upstream's `JSONPatchMaxCopyBytes`. */
const maxCopiedBytes = 3 * 1024 * 1024;

/** The patched value; shares nothing with what was given. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  const operations = readOperations(patch);
  const document: Document = { root: copyJson(target), copiedBytes: 0 };
  for (const operation of operations) apply(document, operation);
  return document.root;
}

/** The paths of fields that no operation has: `[0].vaule`. */
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

/** A `test` of the patch fails: to most it is one more way of not applying. */
export class FailedTest extends ApiError {}

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: unknown;
}

interface Document {
  root: unknown;
  copiedBytes: number;
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
  if (patch.length > maxOperations) {
    throw new ApiError(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  return patch.map((operation: unknown) => operation ?? {});
}

function undecodable(value: unknown, target: string): ApiError {
  const type = typeof value === "boolean" ? "bool" : typeof value;
  const word = Array.isArray(value) ? "array" : type;
  return ApiError.badRequest(`error decoding patch: json: cannot unmarshal ${word} into Go ${target}`);
}

function apply(document: Document, operation: Operation): void {
  switch (operation.op) {
    case "add":
      return add(document, operation.path, copyJson(operation.value ?? null));
    case "remove":
      return remove(find(document, operation.path));
    case "replace":
      return replace(document, operation);
    case "move": {
      const from = find(document, operation.from);
      const value = get(from);
      remove(from);
      return add(document, operation.path, value);
    }
    case "copy":
      return copy(document, operation);
    case "test":
      return test(document, operation);
    default:
      throw unprocessable();
  }
}

/** A place in the document: what holds it, and the key there. */
interface Place {
  readonly holder: unknown[] | JsonObject;
  readonly key: string;
}

function find(document: Document, path: string | null | undefined): Place {
  const [, ...parts] = typeof path === "string" ? path.split("/") : [];
  const key = parts.pop();
  if (key === undefined) throw unprocessable();
  let holder = holderOf(document.root);
  for (const part of parts) holder = holderOf(get({ holder, key: unescapeKey(part) }));
  return { holder, key: unescapeKey(key) };
}

function holderOf(value: unknown): unknown[] | JsonObject {
  if (Array.isArray(value) || isObject(value)) return value;
  throw unprocessable();
}

function unescapeKey(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value there; null where an object does not have the key. */
function get({ holder, key }: Place): unknown {
  if (!Array.isArray(holder)) return Object.hasOwn(holder, key) ? holder[key] : null;
  return holder[indexOf(key, holder.length)];
}

function add(document: Document, path: string | null | undefined, value: unknown): void {
  const { holder, key } = find(document, path);
  if (!Array.isArray(holder)) setKey(holder, key, value);
  else if (key === "-") holder.push(value);
  else holder.splice(indexOf(key, holder.length + 1), 0, value);
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) {
    holder.splice(indexOf(key, holder.length), 1);
  } else {
    if (!Object.hasOwn(holder, key)) throw unprocessable();
    delete holder[key];
  }
}

function replace(document: Document, { path, value = null }: Operation): void {
  if (path === "") {
    document.root = copyJson(holderOf(value));
    return;
  }
  const { holder, key } = find(document, path);
  if (Array.isArray(holder)) holder[indexOf(key, holder.length)] = copyJson(value);
  else setKey(holder, key, copyJson(value));
}

function copy(document: Document, { from, path }: Operation): void {
  const value = get(find(document, from));
  document.copiedBytes += JSON.stringify(value).length;
  if (document.copiedBytes > maxCopiedBytes) throw unprocessable();
  add(document, path, copyJson(value));
}

function test(document: Document, { path, value = null }: Operation): void {
  const found = path === "" ? document.root : get(find(document, path));
  if (isEqual(found, value)) return;
  const { code, reason, message, details } = unprocessable();
  throw new FailedTest(code, reason, message, details);
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

/** The index that a key names in a list of a length; leading zeros and a sign are read as Go's `Atoi` does. */
function indexOf(key: string, length: number): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw unprocessable();
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  if (index < 0 || index >= length) throw unprocessable();
  return index;
}
