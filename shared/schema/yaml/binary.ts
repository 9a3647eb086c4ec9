// The text of a scalar that is tagged as binary.
import { base64Decode, getTextEncoding } from "@bufbuild/protobuf/wire";
import { YamlError } from "./errors.ts";

/** What is not UTF-8 becomes the replacement character, as JSON has it. */
export function base64Text(text: string): string {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const isBase64 = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  if (!isBase64) throw new YamlError("yaml: !!binary value contains invalid base64 data");
  return getTextEncoding().decodeUtf8(base64Decode(compact));
}
