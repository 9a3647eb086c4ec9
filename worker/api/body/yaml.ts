// YAML bodies as upstream reads them: the last of equal keys counts, and strictness tells of each.
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { readYaml } from "../../../shared/schema/yaml/read.ts";

export interface YamlBody {
  readonly value: unknown;
  /** What upstream's strict parser says of keys that are given twice; absent where there are none. */
  readonly complaint?: string;
}

/** `prefix` begins a refusal. */
export function parseYaml(content: string, prefix = ""): YamlBody {
  const json = asJson(content);
  if (json?.duplicates.length === 0) return { value: json.value };
  try {
    const { value, duplicates } = readYaml(content);
    if (duplicates.length === 0) return { value };
    return {
      value,
      complaint: `yaml: unmarshal errors:\n${duplicates.map(({ line, message }) => `  line ${line}: ${message}`).join("\n")}`,
    };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw ApiError.badRequest(`${prefix}error converting YAML to JSON: ${error.message}`);
  }
}

/** A document that has to be an object. */
export function parseYamlObject(content: string, prefix: string): YamlBody & { readonly value: JsonObject } {
  const { value, ...rest } = parseYaml(content, prefix);
  if (value === null || value === undefined) return { ...rest, value: {} };
  if (isObject(value)) return { ...rest, value };
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
