// Content negotiation as upstream's `handlers/negotiation`: the form of a response and the form of a request body.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

/** The group, version and kind that a client requests with `;as=Table;v=v1;g=meta.k8s.io`. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type Encoding = "json" | "yaml" | "protobuf";

/** The negotiated form of a response. */
export interface OutputType {
  readonly encoding: Encoding;
  /** The `Content-Type` of the response. */
  readonly mediaType: string;
  /** The form to convert the object to. Undefined: unchanged. */
  readonly as?: Transform;
  readonly pretty: boolean;
}

export type BodyType = "json" | "yaml" | "protobuf";
export type PatchType = "json" | "merge" | "strategic" | "apply";

/** Reports whether an endpoint supports a transform (`undefined`: the plain object) in an encoding. */
export type AllowsTransform = (as: Transform | undefined, encoding: Encoding) => boolean;

const outputs: readonly { readonly encoding: Encoding; readonly mediaType: string; readonly streams: boolean }[] = [
  { encoding: "json", mediaType: "application/json", streams: true },
  { encoding: "yaml", mediaType: "application/yaml", streams: false },
  { encoding: "protobuf", mediaType: "application/vnd.kubernetes.protobuf", streams: true },
];
const plain: Pick<OutputType, "encoding" | "mediaType"> = { encoding: "json", mediaType: "application/json" };
const bodies: Readonly<Record<string, BodyType>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/vnd.kubernetes.protobuf": "protobuf",
};
const patches: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};
export const outputTypes: readonly string[] = outputs.map(({ mediaType }) => mediaType);
export const patchTypes: readonly string[] = Object.keys(patches);
const metaKinds = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

/** Resources: the plain object, or a form of meta.k8s.io. A Table has no protobuf form. */
export const resourceTransforms: AllowsTransform = (as, encoding) =>
  !as ||
  (as.group === "meta.k8s.io" &&
    (as.version === "v1" || as.version === "v1beta1") &&
    metaKinds.has(as.kind) &&
    !(as.kind === "Table" && encoding === "protobuf"));

/** Resources that are only created and never listed, so they have no Table. */
export const createdTransforms: AllowsTransform = (as, encoding) =>
  as?.kind !== "Table" && resourceTransforms(as, encoding);

/** Resources without a protobuf form. */
export const untypedTransforms: AllowsTransform = (as, encoding) =>
  as ? resourceTransforms(as, encoding) : encoding !== "protobuf";

/** The patch types of objects without a Go type. */
export const untypedPatches: readonly PatchType[] = ["json", "merge", "apply"];

/** Aggregated discovery. The plain documents are requested without a transform. */
export const discoveryTransforms: AllowsTransform = (as) =>
  as?.group === "apidiscovery.k8s.io" &&
  (as.version === "v2" || as.version === "v2beta1") &&
  as.kind === "APIGroupDiscoveryList";

/** Documents with one form only. */
export const noTransforms: AllowsTransform = (as) => as === undefined;

export interface OutputQuery {
  /** The `pretty` query parameter and the client's user agent. Browsers and command line tools get indented responses. */
  readonly pretty?: string | null;
  readonly userAgent?: string | null;
  /** Whether the response is a stream of watch events. */
  readonly stream?: boolean;
}

/** Negotiates the form of a response. Throws 406 if the client accepts none. */
export function negotiateOutput(
  accept: string | null | undefined,
  allows: AllowsTransform = resourceTransforms,
  query: OutputQuery = {},
): OutputType {
  const output = tryOutput(accept, allows, query);
  if (!output) throw notAcceptable(query.stream === true);
  return output;
}

/** Cached results for headers, since clients send the same ones repeatedly. */
const cachedOutputs = new WeakMap<AllowsTransform, BoundedCache<string, OutputType>>();
const keptHeaders = 200;
/** The maximum length of a cached header. kubectl's longest have about 200 characters. */
const maxCachedHeaderLength = 500;

/** Negotiates the form of a response; undefined if the client accepts none. */
export function tryOutput(
  accept: string | null | undefined,
  allows: AllowsTransform,
  query: OutputQuery = {},
): OutputType | undefined {
  const { stream = false } = query;
  const pretty = isPretty(query);
  if (!accept) return { ...plain, pretty };
  const key = `${accept}\n${stream} ${pretty}`;
  const cache = cachedOutputs.get(allows) ?? new BoundedCache<string, OutputType>(keptHeaders);
  const cached = cache.get(key);
  if (cached) return cached;
  const output = findOutput(accept, allows, stream, pretty);
  if (!output || accept.length > maxCachedHeaderLength) return output;
  cache.set(key, output);
  cachedOutputs.set(allows, cache);
  return output;
}

function findOutput(
  accept: string,
  allows: AllowsTransform,
  isStream: boolean,
  pretty: boolean,
): OutputType | undefined {
  const served = outputs.filter((output) => !isStream || output.streams);
  for (const clause of parseAccept(accept)) {
    for (const output of served) {
      if (!matches(clause, output.mediaType)) continue;
      const { as, g, v, stream } = clause.parameters;
      if (stream && stream !== "watch") continue;
      const hasTransform = as !== undefined || g !== undefined || v !== undefined;
      const transform = hasTransform ? { group: g ?? "", version: v ?? "", kind: as ?? "" } : undefined;
      if (!allows(transform, output.encoding)) continue;
      return {
        encoding: output.encoding,
        mediaType: output.mediaType,
        ...(transform ? { as: transform } : {}),
        pretty: clause.parameters.pretty === "1" || pretty,
      };
    }
  }
  return undefined;
}

/** Returns the form of a request body. JSON if there is no content type; throws 415 for unknown ones. */
export function bodyType(contentType: string | null | undefined): BodyType {
  if (!contentType) return "json";
  const matchingType = bodies[bare(contentType)];
  if (!matchingType || hasBrokenParameter(contentType)) throw unsupportedMediaType(Object.keys(bodies));
  return matchingType;
}

/** Returns the type of a patch, which has no default. `served` restricts it to the types of the endpoint. */
export function patchType(contentType: string | null | undefined, served?: readonly PatchType[]): PatchType {
  const servedTypes = Object.entries(patches).filter(([, type]) => !served || served.includes(type));
  const matchingEntry = servedTypes.find(([mediaType]) => mediaType === bare(contentType ?? ""));
  if (!matchingEntry) throw unsupportedMediaType(servedTypes.map(([mediaType]) => mediaType));
  return matchingEntry[1];
}

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** Parses an Accept header. The clauses are ordered by quality, then named types before wildcards. */
export function parseAccept(header: string): AcceptClause[] {
  return header
    .split(",")
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

function parseClause(text: string): AcceptClause | undefined {
  const [range = "", ...rest] = text.split(";").map((section) => section.trim());
  const [type = "", subtype = type === "*" ? "*" : undefined, ...more] = range.split("/");
  if (!type || !subtype || more.length > 0) return undefined;
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const parameter of rest) {
    const at = parameter.indexOf("=");
    if (at < 0) continue;
    const [key, value] = [parameter.slice(0, at).trim(), parameter.slice(at + 1).trim()];
    if (key === "q") quality = Number.parseFloat(value) || 0;
    else parameters[key] = value;
  }
  return { type, subtype, quality, parameters };
}

function wildcards(clause: AcceptClause): number {
  return (clause.type === "*" ? 2 : 0) + (clause.subtype === "*" ? 1 : 0);
}

function matches(clause: AcceptClause, mediaType: string): boolean {
  const [type, subtype] = mediaType.split("/");
  return (clause.type === "*" || clause.type === type) && (clause.subtype === "*" || clause.subtype === subtype);
}

function isPretty({ pretty, userAgent }: OutputQuery): boolean {
  if (pretty) return ["1", "t", "T", "TRUE", "true", "True"].includes(pretty);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}

function bare(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** Reports whether a parameter has no value, which Go's parser rejects. */
function hasBrokenParameter(contentType: string): boolean {
  const [, ...parameters] = contentType.split(";");
  return parameters.some(
    (section, at) => !section.includes("=") && (section.trim() !== "" || at < parameters.length - 1),
  );
}

function notAcceptable(stream: boolean): ApiError {
  const accepted = stream
    ? outputs.filter((output) => output.streams).map((output) => `${output.mediaType};stream=watch`)
    : outputs.map((output) => output.mediaType);
  return new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}
