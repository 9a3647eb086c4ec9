// YAML bodies as upstream reads them: the last of equal keys counts, and strictness tells of each.
import { parse, parseDocument, YAMLParseError } from "yaml";
import { ApiError } from "../../shared/k8s/status.ts";
import { parseJson } from "../../shared/schema/json.ts";
import { isObject, type JsonObject } from "../../shared/schema/json-values.ts";
import { upstreamYamlError } from "./yaml-errors.ts";

const options = { version: "1.1", merge: true, maxAliasCount: 100 } as const;

/** A document's value; `prefix` begins a refusal. */
export function parseYaml(content: string, prefix = ""): unknown {
  try {
    // eslint-disable-next-line no-control-regex -- Upstream's parser takes none of these, ours some.
    if (/[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(content)) throw new Error("control characters are not allowed");
    return asJson(content)?.value ?? (parse(content, { ...options, uniqueKeys: false }) as unknown);
  } catch (error) {
    const known = error instanceof YAMLParseError ? upstreamYamlError(error, content) : undefined;
    const why = known ?? (error instanceof Error ? error.message : String(error));
    throw ApiError.badRequest(`${prefix}error converting YAML to JSON: yaml: ${why}`);
  }
}

/** A document that has to be an object. */
export function parseYamlObject(content: string, prefix: string): JsonObject {
  const value = parseYaml(content, prefix);
  if (value === null || value === undefined) return {};
  if (isObject(value)) return value;
  const given = Array.isArray(value) ? "array" : typeof value;
  throw ApiError.badRequest(
    `${prefix}error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${given} into Go value of type map[string]interface {}`,
  );
}

/** JSON is YAML too, and what clients send; it is read much faster. */
function asJson(content: string): ReturnType<typeof parseJson> | undefined {
  if (!content.startsWith("{")) return undefined;
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}

/** The same as warnings: one for each line that tells of a key. */
export function duplicateWarnings(complaint: string): string[] {
  const [, ...lines] = complaint.split("\n");
  return lines.map((line) => line.trim());
}

/** What upstream's strict parser says of keys that are given twice; undefined where there are none. */
export function duplicateKeys(content: string): string | undefined {
  if (asJson(content)?.duplicates.length === 0) return undefined;
  const { errors } = parseDocument(content, { ...options, uniqueKeys: true });
  const lines = errors.flatMap(({ code, linePos, pos }) => {
    if (code !== "DUPLICATE_KEY") return [];
    const key = /^\s*(?:"([^"]*)"|'([^']*)'|([^\s:,}]*))/.exec(content.slice(pos[0]));
    const name = key?.[1] ?? key?.[2] ?? key?.[3] ?? "";
    return [`  line ${linePos?.[0].line ?? 0}: key ${JSON.stringify(name)} already set in map`];
  });
  if (lines.length === 0) return undefined;
  return `yaml: unmarshal errors:\n${lines.join("\n")}`;
}
