// Request bodies: bounded, in JSON, YAML or protobuf, decoded strictly as the client asked.
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

/** A decoded body before its type is known. */
export interface RawBody {
  readonly value: unknown;
  /** Paths of fields that a JSON body gives twice. */
  readonly duplicates: readonly string[];
  /** Where the fields of a JSON body stand, if any stands twice. */
  readonly places?: ReadonlyMap<string, number>;
  /** What YAML's strict parser says of the same. */
  readonly complaint?: string;
  /** What it makes may be too large to be stored, and is measured before anything else is done with it. */
  readonly mayBeLarge?: boolean;
}

/** The bytes of a body; 413 past the limit, without reading on. */
export async function readBody(request: Request): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > limits.requestBodyBytes) throw tooLarge();
  if (!request.body) return new Uint8Array();
  // A body whose length is told is no longer than that, and is read at once.
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
  return join(chunks, length);
}

/** A client that breaks off is no bug of ours: nobody hears the answer. */
async function received<T>(bytes: Promise<T>): Promise<T> {
  try {
    return await bytes;
  } catch {
    throw ApiError.badRequest("unexpected EOF");
  }
}

/** The body of a write, undecoded; `kind` is what the path wants. */
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

/** Work of reading one byte of a body. */
const byteWork = { json: 0.03, yaml: 0.1, protobuf: 0.02 } as const;

/** Work of decoding an entry of a value. */
const decodedEntryWork = { builtIn: 0.8, custom: 1.4 } as const;

/** Accounts the decoding of a value before it is done. */
export function accountDecoding({ server }: ApiRequest, kind: Pick<BodyType, "custom">, value: unknown): void {
  const work = kind.custom ? decodedEntryWork.custom : decodedEntryWork.builtIn;
  server.registry.store.meter.account(work * countEntries(value));
}

/**
 * Reads a body that has come whole, and charges the work. A body that takes long waits for the turn of its sandbox; what was read of a
 * large one is not written in the same turn.
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

/** What cannot be told to be of any kind is said not to be of this one. */
function named<T>(wanted: string, bytes: Uint8Array, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError && isNoMessage(error.message)) throw unrecognized(wanted, error.message, bytes);
    throw error;
  }
}

function isNoMessage(why: string): boolean {
  return /^provided data does not appear to be a protobuf message|^empty data$|^unexpected EOF$/.test(why);
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

const optionsScheme = "pkg/apis/meta/internalversion/scheme/register.go:27";

/** Options may leave out what they are; what they say must be so. */
function unregisteredOptions(value: unknown): string | undefined {
  const { kind, apiVersion } = isObject(value) ? value : {};
  if (typeof kind !== "string" || kind === "" || kind === "DeleteOptions") return undefined;
  const version = typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : "v1";
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme ${JSON.stringify(optionsScheme)}`;
}

/** Why a body's kind cannot be read: it is looked at before all the rest. */
function unreadableKind(value: unknown): string | undefined {
  const refused = (given: unknown, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${wordFor(given)} into Go ${target}`;
  if (value === null || value === undefined) return undefined;
  if (!isObject(value)) return refused(value, `value of type ${typeMeta}`);
  for (const field of ["apiVersion", "kind"]) {
    const given = value[field];
    if (given !== undefined && given !== null && typeof given !== "string") {
      return refused(given, `struct field .${field} of type string`);
    }
  }
  const version = value["apiVersion"];
  const isVersion = typeof version !== "string" || version.split("/").length <= 2;
  return isVersion ? undefined : `unexpected GroupVersion string: ${version}`;
}

/** A body that may be absent: the options of a delete. */
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

function readText(content: string, form: "json" | "yaml", wanted: string): RawBody {
  try {
    return parseText(content, form, wanted);
  } catch (error) {
    throw form === "yaml" ? unrecognized(wanted, yamlError(error), content) : error;
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

/** What is wrong with a body in YAML, on one line. */
function yamlError(error: unknown): string {
  const [line = ""] = messageOf(error).replace("error converting YAML to JSON: ", "").split("\n");
  return line.replace(/:$/, "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fromProtobuf(bytes: Uint8Array, wanted: Pick<BodyType, "type"> | BodyType): unknown {
  const { apiVersion, kind, raw } = decodeEnvelope(bytes);
  if ("schema" in wanted && wanted.custom) throw cannotBeHandled(naming(wanted), noProtobuf);
  return { ...(decodeProtobuf(wanted.type, raw) as object), apiVersion, kind };
}

export function parseText(content: string, form: "json" | "yaml", wanted?: string): RawBody {
  if (form === "json") return parseJson(content, wanted);
  return { duplicates: [], ...parseYaml(content) };
}

export function text(bytes: Uint8Array): string {
  return decodeUtf8Leniently(bytes);
}

/** What the path wants of a body. */
export interface BodyType {
  readonly type: string;
  readonly schema: ObjectSchema;
  readonly custom?: Kind["custom"];
  readonly apiVersion: string;
  readonly kind: string;
}

/** The typed draft, after strictness has had its say: an error, warnings, or nothing. */
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
  // decode gives the canonical form of the very type that was named.
  return withReset(object as KubeObject, body.value);
}

/** An empty list of managed fields, which the canonical form does not have, asks for a reset as an empty entry does. */
export function withReset(draft: KubeObject, value: unknown): KubeObject {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const given = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (Array.isArray(given) && given.length === 0) draft.metadata.managedFields = [{}];
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

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
