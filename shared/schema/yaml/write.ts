// Values as YAML.
import { stringify } from "yaml";

/** YAML 1.1 (what Go's and kubectl's parsers read), keys sorted and lists not indented, as upstream's. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    version: "1.1",
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
