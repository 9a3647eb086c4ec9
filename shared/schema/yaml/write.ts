// Writes values as YAML.
import { stringify } from "yaml";

/** Formats as YAML 1.1, which Go's and kubectl's parsers read, with sorted keys and without indented lists, like upstream. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    version: "1.1",
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
