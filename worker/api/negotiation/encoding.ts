// How an answer is written: JSON as upstream's serializer prints it, YAML, or protobuf.
import { stringify } from "yaml";
import { toProtobuf } from "../../../shared/schema/protobuf/protobuf-object.ts";
import type { OutputType } from "./negotiation.ts";

/** The body of an answer. JSON ends with a newline, unless it is indented, as upstream's. */
export function encodeOutput(
  value: object,
  output: Pick<OutputType, "encoding" | "pretty">,
): string | Uint8Array<ArrayBuffer> {
  if (output.encoding === "protobuf") return toProtobuf(value);
  return encodeText(value, output);
}

/** The same of what has no protobuf form. */
export function encodeText(value: unknown, output: { readonly encoding: string; readonly pretty: boolean }): string {
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
