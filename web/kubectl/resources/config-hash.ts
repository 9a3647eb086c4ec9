// The hash suffix of a generated ConfigMap or Secret, as kustomize and `--append-hash` compute it.
import { encodeUtf8 } from "../../../shared/base/utf8.ts";
import { sha256Hex } from "./sha256.ts";
import { type JsonObject } from "../../../shared/schema/json-values.ts";
import { nameOf, objectAt, textOf } from "../object.ts";
import { compactJson } from "../print/json.ts";

/** Returns ten letters and digits that spell no words. */
export function configHash(object: JsonObject, name = nameOf(object)): string {
  const isSecret = object.kind === "Secret";
  const content: JsonObject = { kind: object.kind, name };
  if (isSecret) content.type = textOf(object.type);
  content.data =
    Object.keys(objectAt(object, "data")).length || isSecret || !object.data
      ? isSecret
        ? objectAt(object, "data")
        : (object.data ?? "")
      : "";
  if (isSecret && object.stringData) content.stringData = object.stringData;
  if (!isSecret && object.binaryData) content.binaryData = object.binaryData;
  const hex = sha256Hex(encodeUtf8(compactJson(content)));
  const replaced: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };
  return [...hex.slice(0, 10)].map((digit) => replaced[digit] ?? digit).join("");
}
