// Reads request bodies: bounded, as JSON, YAML or protobuf, decoded with the requested strictness.
import { joinBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { countEntries } from "../../../shared/k8s/bounds/entries.ts";
import { refuseTooLarge, refuseTooWide } from "../../../shared/k8s/bounds/object-size.ts";
import { decodeUtf8Leniently } from "../../../shared/base/utf8.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import type { ObjectSchema } from "../../../shared/schema/object-schema.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { decodeEnvelope, decodeProtobuf } from "../../../shared/schema/protobuf/protobuf.ts";
import { wordFor } from "../../../shared/schema/decode-context.ts";
import { cannotBeHandled, strictMessage, strictWarnings, unrecognized } from "../../../shared/schema/wording.ts";
import { holdsMore } from "../filters/load.ts";
import { bodyType } from "../negotiation/negotiation.ts";
import type { FieldValidation } from "../verbs/query.ts";
import type { ApiRequest } from "../api-request.ts";
import { duplicateWarnings, parseYaml } from "./yaml.ts";

/** A parsed body whose type is not checked yet. */
export interface RawBody {
  readonly value: unknown;
  /** The paths of duplicate fields of a JSON body. */
  readonly duplicates: readonly string[];
  /** The positions of a JSON body's fields, if any is duplicated. */
  readonly places?: ReadonlyMap<string, number>;
  /** The message of YAML's strict parser about duplicate fields. */
  readonly complaint?: string;
  /** Whether the object may be too large to be stored, so that it is measured before anything else. */
  readonly mayBeLarge?: boolean;
}

/** Reads the bytes of a body. Throws 413 past the limit without reading further. */
export async function readBody(request: Request): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > limits.requestBodyBytes) throw tooLarge();
  if (!request.body) return new Uint8Array();
  // A body with a declared length cannot be longer, so it is read at once.
  if (declared > 0) return bounded(new Uint8Array(await received(request.arrayBuffer())));
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await received(reader.read());
    if (done) break;
    length += value.length;
    if (length > limits.requestBodyBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    try {
      holdsMore(request, value.length);
    } catch (error) {
      await reader.cancel();
      throw error;
    }
    chunks.push(value);
  }
  const [only] = chunks;
  // Most bodies come in one chunk and need no copy.
  return only && chunks.length === 1 ? only : joinBytes(chunks, length);
}

/** Awaits a body. A client that disconnects is not a bug; it does not receive the response. */
async function received<T>(bytes: Promise<T>): Promise<T> {
  try {
    return await bytes;
  } catch {
    throw ApiError.badRequest("unexpected EOF");
  }
}

/** Reads the body of a write without decoding it. `kind` is the kind of the path. */
export async function readObject(req: ApiRequest, kind: BodyType): Promise<RawBody> {
  const bytes = await readBody(req.request);
  const form = bodyType(req.request.headers.get("content-type"));
  const mayBeLarge = bytes.length > limits.objectBytes;
  return inReadingTurn(req, bytes.length, form, () => {
    if (form === "protobuf") {
      const value = named(kind.kind, bytes, () => fromProtobuf(bytes, kind));
      refuseTooWide(value, bytes.length);
      return { value, duplicates: [], mayBeLarge };
    }
    const body = readText(text(bytes), form, kind.kind);
    refuseTooWide(body.value, bytes.length);
    const why = kind.custom ? undefined : unreadableKind(body.value);
    if (why !== undefined) throw unrecognized(kind.kind, why, bytes);
    return { ...body, mayBeLarge };
  });
}

/** The work of reading one byte of a body. */
const byteWork = { json: 0.03, yaml: 0.1, protobuf: 0.02 } as const;

/** The work of decoding an entry of a value. */
const decodedEntryWork = { builtIn: 0.8, custom: 1.4 } as const;

/** Accounts for the decoding of a value in advance. */
export function accountDecoding({ server }: ApiRequest, kind: Pick<BodyType, "custom">, value: unknown): void {
  const work = kind.custom ? decodedEntryWork.custom : decodedEntryWork.builtIn;
  server.registry.store.meter.account(work * countEntries(value));
}

/**
 * Parses a complete body and charges its work. A body that takes long waits for the turn of its sandbox. A large body is written in a later
 * turn than it is parsed.
 */
export async function inReadingTurn<T>(
  { server }: Pick<ApiRequest, "server">,
  length: number,
  form: keyof typeof byteWork,
  read: () => T,
): Promise<T> {
  const { turns, registry, pause } = server;
  const work = length * byteWork[form];
  if (work > limits.readingTurnWork) await turns?.next();
  registry.store.meter.account(work);
  const value = turns ? turns.measure(read) : read();
  if (length > limits.largeBodyBytes) await pause?.();
  return value;
}

/** Runs a parser. If the kind of a body cannot be read, the error says that it is not the expected one. */
function named<T>(expectedKind: string, bytes: Uint8Array, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError && isNoMessage(error.message)) throw unrecognized(expectedKind, error.message, bytes);
    throw error;
  }
}

function isNoMessage(why: string): boolean {
  return /^provided data does not appear to be a protobuf message|^empty data$|^unexpected EOF$/.test(why);
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

const optionsScheme = "pkg/apis/meta/internalversion/scheme/register.go:27";

/** Returns an error if options have another kind. They may leave the kind out. */
function unregisteredOptions(value: unknown): string | undefined {
  const { kind, apiVersion } = isObject(value) ? value : {};
  if (typeof kind !== "string" || kind === "" || kind === "DeleteOptions") return undefined;
  const version = typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : "v1";
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme ${JSON.stringify(optionsScheme)}`;
}

/** Returns why the kind of a body cannot be read. It is checked before all other fields. */
function unreadableKind(value: unknown): string | undefined {
  const refused = (actual: unknown, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${wordFor(actual)} into Go ${target}`;
  if (value === null || value === undefined) return undefined;
  if (!isObject(value)) return refused(value, `value of type ${typeMeta}`);
  for (const field of ["apiVersion", "kind"]) {
    const fieldValue = value[field];
    if (fieldValue !== undefined && fieldValue !== null && typeof fieldValue !== "string") {
      return refused(fieldValue, `struct field .${field} of type string`);
    }
  }
  const version = value["apiVersion"];
  const isVersion = typeof version !== "string" || version.split("/").length <= 2;
  return isVersion ? undefined : `unexpected GroupVersion string: ${version}`;
}

/** Decodes an optional body: the options of a DELETE. */
export async function decodeBody(req: ApiRequest, type: string): Promise<unknown> {
  const bytes = await readBody(req.request);
  if (bytes.length === 0) return undefined;
  const form = bodyType(req.request.headers.get("content-type"));
  const raw = await inReadingTurn(req, bytes.length, form, () =>
    form === "protobuf" ? fromProtobuf(bytes, { type }) : readOptions(text(bytes), form),
  );
  const why = unreadableKind(raw) ?? unregisteredOptions(raw);
  if (why !== undefined) throw ApiError.badRequest(why);
  return decode(type, raw).object;
}

function readText(content: string, form: "json" | "yaml", expectedKind: string): RawBody {
  try {
    return parseText(content, form, expectedKind);
  } catch (error) {
    throw form === "yaml" ? unrecognized(expectedKind, yamlError(error), content) : error;
  }
}

function readOptions(content: string, form: "json" | "yaml"): unknown {
  try {
    return parseText(content, form).value;
  } catch (error) {
    const json = `couldn't get version/kind; json parse error: ${messageOf(error)}`;
    throw ApiError.badRequest(form === "json" ? json : yamlError(error));
  }
}

/** Returns an error of the YAML parser on one line. */
function yamlError(error: unknown): string {
  const [line = ""] = messageOf(error).replace("error converting YAML to JSON: ", "").split("\n");
  return line.replace(/:$/, "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fromProtobuf(bytes: Uint8Array, expected: Pick<BodyType, "type"> | BodyType): unknown {
  const { apiVersion, kind, raw } = decodeEnvelope(bytes);
  if ("schema" in expected && expected.custom) throw cannotBeHandled(naming(expected), noProtobuf);
  return { ...(decodeProtobuf(expected.type, raw) as object), apiVersion, kind };
}

export function parseText(content: string, form: "json" | "yaml", expectedKind?: string): RawBody {
  if (form === "json") return parseJson(content, expectedKind);
  return { duplicates: [], ...parseYaml(content) };
}

export function text(bytes: Uint8Array): string {
  return decodeUtf8Leniently(bytes);
}

/** The type that a path expects of a body. */
export interface BodyType {
  readonly type: string;
  readonly schema: ObjectSchema;
  readonly custom?: Kind["custom"];
  readonly apiVersion: string;
  readonly kind: string;
}

/** Decodes a body to a typed draft. Strictness decides whether unknown fields are errors, warnings or ignored. */
export function decodeStrictly(
  req: ApiRequest,
  kind: BodyType,
  body: RawBody,
  validation: FieldValidation,
): KubeObject {
  accountDecoding(req, kind, body.value);
  const { object, unknown } = decodeAs(kind, body.value);
  if (body.mayBeLarge) refuseTooLarge(JSON.stringify(object));
  const { complaint } = body;
  const texts = strictWarnings(unknown, body.duplicates, body.places);
  const message = validation === "Ignore" ? undefined : strictMessage(complaint ? [complaint, ...texts] : texts);
  if (message && validation === "Strict") throw cannotBeHandled(naming(kind), message);
  if (message) req.warnings.push(...(complaint ? duplicateWarnings(complaint) : []), ...texts);
  // Decoding returns the canonical form of the type.
  return withReset(object as KubeObject, body.value);
}

/** Restores an empty list of managed fields, which the canonical form drops. It requests a reset, as an empty entry does. */
export function withReset(draft: KubeObject, value: unknown): KubeObject {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const managedFields = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (Array.isArray(managedFields) && managedFields.length === 0) draft.metadata.managedFields = [{}];
  return draft;
}

function decodeAs(kind: BodyType, value: unknown) {
  try {
    return kind.schema.decode(value, "body");
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) throw cannotBeHandled(naming(kind), error.message);
    throw error;
  }
}

const noProtobuf =
  "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";

function naming(kind: BodyType) {
  return { kind: kind.kind, version: kind.apiVersion.split("/").at(-1) ?? "" };
}

function tooLarge(): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limits.requestBodyBytes}`);
}

function bounded(bytes: Uint8Array): Uint8Array {
  if (bytes.length > limits.requestBodyBytes) throw tooLarge();
  return bytes;
}
