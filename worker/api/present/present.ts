// Converts stored objects to responses: in the version of the path, as a Table row, or only metadata.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { completeResponse, uncached } from "../negotiation/answer-headers.ts";
import { answer, isSentAsIs } from "../negotiation/compression.ts";
import { packageOf } from "../body/body-kind.ts";
import { encodeOutput } from "../negotiation/encoding.ts";
import type { Kind } from "../../kinds/kind.ts";
import { keyOfObject, fromStorage } from "../../registry/registry.ts";
import {
  type AllowsTransform,
  createdTransforms,
  negotiateOutput,
  type OutputType,
  resourceTransforms,
  untypedTransforms,
} from "../negotiation/negotiation.ts";
import { withNulls } from "./nulls.ts";
import type { ApiRequest } from "../api-request.ts";
import {
  checkTransform,
  parseIncludeObject,
  partialObjectMetadata,
  partialObjectMetadataList,
  tableOf,
  type TableOptions,
} from "./table.ts";

/** Returns the kind that the store has for a kind of the API. */
export function storedKind(kind: Kind): Kind {
  return kind.conversion?.hub ?? kind;
}

/** Converts a stored object to the version of the path. */
export function inVersion(kind: Kind, stored: KubeObject): KubeObject {
  return fromStorage(kind, stored);
}

/** Converts a stored object and decorates it as of now. */
export function decorated(kind: Kind, stored: KubeObject, nowMs: number): KubeObject {
  const object = inVersion(kind, stored);
  return withNulls(kind, kind.decorator?.decorate(object, nowMs) ?? object);
}

/** The properties of a kind that a response needs. */
export type Shown<T extends KubeObject = KubeObject> = Pick<Kind<T>, "apiVersion" | "kind" | "columns"> &
  Partial<Pick<Kind<T>, "custom">>;

/** Negotiates the form of a response. `kind` is the kind of its objects. */
export function outputOf(req: ApiRequest, kind?: Pick<Shown, "custom">): OutputType {
  return negotiated(req, kind?.custom ? untypedTransforms : resourceTransforms);
}

/** Negotiates the form of a response for resources that are only created: reviews, tokens, evictions. */
export function createdOutputOf(req: ApiRequest): OutputType {
  return negotiated(req, createdTransforms);
}

function negotiated(req: ApiRequest, transforms: AllowsTransform): OutputType {
  return negotiateOutput(req.request.headers.get("accept"), transforms, {
    pretty: req.url.searchParams.get("pretty"),
    userAgent: req.request.headers.get("user-agent"),
  });
}

/** Returns the response with one object in the requested form. */
export function objectResponse(
  req: ApiRequest,
  kind: Kind,
  stored: KubeObject,
  status = 200,
  output = outputOf(req, kind),
): Response {
  const { clock, store } = req.server.registry;
  const object = decorated(kind, stored, clock.nowMs());
  // An object that is sent as stored was encoded already.
  const text =
    object === stored && output.encoding === "json" && !output.as && !output.pretty
      ? store.textOf(keyOfObject(kind, stored), stored)
      : undefined;
  if (text === undefined) return shownResponse(req, kind, object, status);
  store.meter.account(text.length * answeredWork.plain);
  return answered(req, output, `${text}\n`, status);
}

/** Returns the response with an object that is not of a stored kind. */
export function shownResponse<T extends KubeObject>(
  req: ApiRequest,
  kind: Shown<T>,
  object: T,
  status = 200,
): Response {
  const output = outputOf(req, kind);
  return encoded(req, output, transformObject(req, kind, object, output), status);
}

/** Returns the response with a value that has one form, such as a Status. */
export function plainResponse(req: ApiRequest, value: object, status = 200): Response {
  return encoded(req, outputOf(req), value, status);
}

/** Returns the response with an object that was created and not stored, or with its Status. */
export function createdResponse(req: ApiRequest, value: KubeObject): Response {
  const output = createdOutputOf(req);
  if (!output.as || value.kind === "Status") return encoded(req, output, value, 201);
  checkTransform(output.as.kind, false, `*${packageOf(value.apiVersion ?? "")}.${value.kind ?? ""}`);
  return encoded(req, output, partialObjectMetadata(value, output.as.version), 201);
}

function transformObject<T extends KubeObject>(req: ApiRequest, kind: Shown<T>, object: T, { as }: OutputType): object {
  if (!as) return object;
  checkTransform(as.kind, false, `*${packageOf(kind.apiVersion)}.${kind.kind}`);
  if (as.kind === "PartialObjectMetadata") return partialObjectMetadata(object, as.version);
  return tableOf(kind, [object], {
    meter: req.server.registry.store.meter,
    nowMs: req.server.registry.clock.nowMs(),
    includeObject: parseIncludeObject(req.url.searchParams.get("includeObject")),
    metadata: { resourceVersion: object.metadata.resourceVersion ?? "" },
    version: as.version,
  });
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Returns the response with a computed list. */
export function listResponse(req: ApiRequest, kind: Kind, objects: readonly KubeObject[]): Response {
  const output = outputOf(req, kind);
  return encoded(req, output, listValue(req, kind, objects, {}, output, req.server.registry.clock.nowMs()), 200);
}

/** Returns a list in the requested form: its objects are in `items`, in a Table in `rows`. */
export function listValue(
  req: ApiRequest,
  kind: Kind,
  objects: readonly KubeObject[],
  metadata: ListMeta,
  { as }: Pick<OutputType, "as">,
  nowMs: number,
  options: Pick<TableOptions, "rowWork"> = {},
): JsonObject {
  const decoratedObjects = objects.map((object) => decorated(kind, object, nowMs));
  if (!as && kind.custom) {
    // As upstream's maps: in the order of the keys, and with an empty token.
    const { remainingItemCount: rest, resourceVersion } = metadata;
    const meta = {
      continue: metadata.continue ?? "",
      ...(rest === undefined ? {} : { remainingItemCount: rest }),
      resourceVersion,
    };
    return { apiVersion: kind.apiVersion, items: decoratedObjects, kind: listKind(kind), metadata: meta };
  }
  if (!as) {
    const items = decoratedObjects.map(({ apiVersion: _version, kind: _kind, ...item }) => item);
    return { kind: listKind(kind), apiVersion: kind.apiVersion, metadata, items };
  }
  checkTransform(as.kind, true, `*${packageOf(kind.apiVersion)}.${listKind(kind)}`);
  if (as.kind === "PartialObjectMetadataList")
    return { ...partialObjectMetadataList(decoratedObjects, metadata, as.version) };
  const includeObject = parseIncludeObject(req.url.searchParams.get("includeObject"));
  const { meter } = req.server.registry.store;
  return {
    ...tableOf(kind, decoratedObjects, { ...options, meter, nowMs, includeObject, metadata, version: as.version }),
  };
}

export function listKind(kind: Kind): string {
  return kind.custom?.listKind ?? `${kind.kind}List`;
}

function encoded(req: ApiRequest, output: OutputType, value: object, status: number): Response {
  const body = encodeOutput(value, output);
  req.server.registry.store.meter.account(body.length * answeredWork.written);
  return answered(req, output, body, status);
}

/** The work of writing one byte or character of a response. */
const answeredWork = { plain: 0.005, written: 0.02 } as const;

function answered(
  req: ApiRequest,
  output: OutputType,
  body: string | Uint8Array<ArrayBuffer>,
  status: number,
): Response {
  const { warnings, sent, server, request } = req;
  // An answer about the past has a date.
  if (warnings.length === 0 && server.present === undefined && isSentAsIs(request, body))
    return completeResponse(sent, body, status, output.mediaType, server.fixedHeaders);
  const headers = { "content-type": output.mediaType, ...uncached, ...warningsOf(req) };
  return answer(req.request, body, status, headers);
}

const warningsLimit = 4 * 1024;
const longWarning = 256;

/**
 * Returns the `Warning` headers: `299 - "text"`, quotes and backslashes escaped as in RFC 7234. As upstream, texts with control characters
 * are dropped, and long texts are truncated.
 */
export function warningsOf(req: Pick<ApiRequest, "warnings">): Record<string, string> {
  const all = [...new Set(req.warnings)].filter((text) => text !== "" && !/\p{Cc}/u.test(text));
  if (all.length === 0) return {};
  const length = all.reduce((sum, text) => sum + [...text].length, 0);
  const values: string[] = [];
  let left = warningsLimit;
  for (const warning of all) {
    const text = length > warningsLimit ? [...warning].slice(0, longWarning).join("") : warning;
    if (left <= 0) break;
    left -= [...text].length;
    values.push(`299 - "${text.replaceAll(/["\\]/g, "\\$&")}"`);
  }
  return { warning: headerText(values.join(", ")) };
}

/** Encodes a header for UTF-8 on the wire. Workers do so themselves; other platforms only accept bytes. */
function headerText(text: string): string {
  try {
    return new Headers({ warning: text }).get("warning") ?? "";
  } catch {
    return String.fromCharCode(...new TextEncoder().encode(text));
  }
}
