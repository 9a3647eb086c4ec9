// Encodes responses: JSON as upstream's serializer prints it, YAML, or protobuf.
import { toProtobuf } from "../../../shared/schema/protobuf/protobuf-object.ts";
import { toYaml } from "../../../shared/schema/yaml/write.ts";
import type { OutputType } from "./negotiation.ts";

/** Encodes a body. JSON ends with a newline unless it is indented, as upstream. */
export function encodeOutput(
  value: object,
  output: Pick<OutputType, "encoding" | "pretty">,
): string | Uint8Array<ArrayBuffer> {
  if (output.encoding === "protobuf") return toProtobuf(value);
  return encodeText(value, output);
}

/** Encodes a value that has no protobuf form. */
export function encodeText(value: unknown, output: { readonly encoding: string; readonly pretty: boolean }): string {
  if (output.encoding === "yaml") return toYaml(value);
  return output.pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`;
}
