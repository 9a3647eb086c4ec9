// Decodes scalars with the tag `!!binary`.
import { base64Decode, getTextEncoding } from "@bufbuild/protobuf/wire";
import { YamlError } from "./errors.ts";

/** Returns the text. Bytes that are not UTF-8 become the replacement character, as in JSON. */
export function base64Text(text: string): string {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const isBase64 = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  if (!isBase64) throw new YamlError("yaml: !!binary value contains invalid base64 data");
  return getTextEncoding().decodeUtf8(base64Decode(compact));
}
