// Content negotiation as upstream's `handlers/negotiation`: which form an answer takes, and which form a request body has.
import { ApiError } from "../../../shared/k8s/status.ts";

/** A group, version and kind that a client asks for with `;as=Table;v=v1;g=meta.k8s.io`. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type Encoding = "json" | "yaml" | "protobuf";

/** What the client gets. */
export interface OutputType {
  readonly encoding: Encoding;
  /** The `Content-Type` of the answer. */
  readonly mediaType: string;
  /** The form to convert the object to; absent: as it is. */
  readonly as?: Transform;
  readonly pretty: boolean;
}

export type BodyType = "json" | "yaml" | "protobuf";
export type PatchType = "json" | "merge" | "strategic" | "apply";

/** Whether an endpoint serves a transform (`undefined`: the plain object) in an encoding. */
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

/** Resources: the plain object, or a form of meta.k8s.io; a Table has no protobuf form. */
export const resourceTransforms: AllowsTransform = (as, encoding) =>
  !as ||
  (as.group === "meta.k8s.io" &&
    (as.version === "v1" || as.version === "v1beta1") &&
    metaKinds.has(as.kind) &&
    !(as.kind === "Table" && encoding === "protobuf"));

/** Of what is only ever created, and never listed: it has no rows. */
export const createdTransforms: AllowsTransform = (as, encoding) =>
  as?.kind !== "Table" && resourceTransforms(as, encoding);

/** Of what has no protobuf form: but for it, the same. */
export const untypedTransforms: AllowsTransform = (as, encoding) =>
  as ? resourceTransforms(as, encoding) : encoding !== "protobuf";

/** The forms of a patch that such objects take. */
export const untypedPatches: readonly PatchType[] = ["json", "merge", "apply"];

/** Aggregated discovery only: the plain documents are asked for without a transform. */
export const discoveryTransforms: AllowsTransform = (as) =>
  as?.group === "apidiscovery.k8s.io" &&
  (as.version === "v2" || as.version === "v2beta1") &&
  as.kind === "APIGroupDiscoveryList";

/** Neither: documents that have one form. */
export const noTransforms: AllowsTransform = (as) => as === undefined;

export interface OutputQuery {
  /** The `pretty` query parameter and the client's name: browsers and command line tools get indented answers. */
  readonly pretty?: string | null;
  readonly userAgent?: string | null;
  /** An answer that is a stream of watch events. */
  readonly stream?: boolean;
}

/** The form of an answer; 406 if the client accepts none of ours. */
export function negotiateOutput(
  accept: string | null | undefined,
  allows: AllowsTransform = resourceTransforms,
  query: OutputQuery = {},
): OutputType {
  const found = tryOutput(accept, allows, query);
  if (!found) throw notAcceptable(query.stream === true);
  return found;
}

/** What was found for headers that clients send again and again. */
const keptOutputs = new WeakMap<AllowsTransform, Map<string, OutputType>>();
const keptHeaders = 200;
/** Characters of a header that is kept: kubectl's longest have some 200. */
const keptHeaderCharacters = 500;

/** The same, or undefined. */
export function tryOutput(
  accept: string | null | undefined,
  allows: AllowsTransform,
  query: OutputQuery = {},
): OutputType | undefined {
  const { stream = false } = query;
  const pretty = isPretty(query);
  if (!accept) return { ...plain, pretty };
  const key = `${accept}\n${stream} ${pretty}`;
  const kept = keptOutputs.get(allows) ?? new Map<string, OutputType>();
  const known = kept.get(key);
  if (known) return known;
  const made = findOutput(accept, allows, stream, pretty);
  if (!made || accept.length > keptHeaderCharacters) return made;
  if (kept.size >= keptHeaders) kept.clear();
  keptOutputs.set(allows, kept.set(key, made));
  return made;
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
      const asked = as !== undefined || g !== undefined || v !== undefined;
      const transform = asked ? { group: g ?? "", version: v ?? "", kind: as ?? "" } : undefined;
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

/** The form of a request body; nothing said is JSON; 415 for anything unknown. */
export function bodyType(contentType: string | null | undefined): BodyType {
  if (!contentType) return "json";
  const found = bodies[bare(contentType)];
  if (!found || hasBrokenParameter(contentType)) throw unsupportedMediaType(Object.keys(bodies));
  return found;
}

/** The kind of patch; there is no default. `served` narrows it to what an endpoint takes. */
export function patchType(contentType: string | null | undefined, served?: readonly PatchType[]): PatchType {
  const known = Object.entries(patches).filter(([, type]) => !served || served.includes(type));
  const found = known.find(([mediaType]) => mediaType === bare(contentType ?? ""));
  if (!found) throw unsupportedMediaType(known.map(([mediaType]) => mediaType));
  return found[1];
}

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** The clauses of an Accept header, the most wanted first: by quality, then named types before wildcards. */
export function parseAccept(header: string): AcceptClause[] {
  return header
    .split(",")
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

function parseClause(text: string): AcceptClause | undefined {
  const [range = "", ...rest] = text.split(";").map((part) => part.trim());
  const [type = "", subtype = type === "*" ? "*" : undefined, ...more] = range.split("/");
  if (!type || !subtype || more.length > 0) return undefined;
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const part of rest) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const [key, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
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

/** Go's parser takes no type of which a parameter has no value. */
function hasBrokenParameter(contentType: string): boolean {
  const [, ...parameters] = contentType.split(";");
  return parameters.some((one, at) => !one.includes("=") && (one.trim() !== "" || at < parameters.length - 1));
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
