// Parses YAML bodies as upstream does: the last of duplicate keys is used, and strictness reports each of them.
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { readYaml } from "../../../shared/schema/yaml/read.ts";

export interface YamlBody {
  readonly value: unknown;
  /** The message of upstream's strict parser about duplicate keys. Undefined if there are none. */
  readonly complaint?: string;
}

/** Parses a document. `prefix` starts the error message. */
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

/** Parses a document that must be an object. */
export function parseYamlObject(content: string, prefix: string): YamlBody & { readonly value: JsonObject } {
  const { value, ...rest } = parseYaml(content, prefix);
  if (value === null || value === undefined) return { ...rest, value: {} };
  if (isObject(value)) return { ...rest, value };
  const actualType = Array.isArray(value) ? "array" : typeof value;
  throw ApiError.badRequest(
    `${prefix}error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${actualType} into Go value of type map[string]interface {}`,
  );
}

/** Parses JSON, which is also YAML, since clients mostly send it and it is parsed much faster. */
function asJson(content: string): ReturnType<typeof parseJson> | undefined {
  if (!content.startsWith("{")) return undefined;
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}

/** Returns the message as warnings: one for each duplicate key. */
export function duplicateWarnings(complaint: string): string[] {
  const [, ...lines] = complaint.split("\n");
  return lines.map((line) => line.trim());
}
