// How an answer is written: JSON as upstream's serializer prints it, or YAML.
import { stringify } from "yaml";
import type { OutputType } from "./negotiation.ts";

/** The text of an answer. JSON ends with a newline, unless it is indented, as upstream's. */
export function encodeOutput(value: unknown, output: Pick<OutputType, "encoding" | "pretty">): string {
  if (output.encoding === "yaml") return toYaml(value);
  return output.pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`;
}

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
