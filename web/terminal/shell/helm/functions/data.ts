// Functions on YAML, JSON and encodings.
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { base64Of, bytesOfBase64 } from "../../../../../shared/base/base64.ts";
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { getKey } from "../../../../../shared/schema/json-values.ts";
import { readYaml } from "../../../../../shared/schema/yaml/read.ts";
import { stringify } from "yaml";
import { escapeHtml } from "../../../../kubectl/print/json.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import { define, type Functions } from "../template/builtins.ts";
import { CallError } from "../template/errors.ts";
import { isMap, plain, sortedKeys, typeOf } from "../template/values.ts";
import { tomlOf } from "./toml.ts";

export function yamlText(value: unknown): string {
  return goYaml(plain(value)).replace(/\n$/, "");
}

function prettyYaml(value: unknown): string {
  return stringify(plain(value), {
    indentSeq: true,
    lineWidth: 0,
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  }).replace(/\n$/, "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The words of Go's decoder for a value of another type. */
function mismatch(value: unknown, target: string): string {
  const kind = Array.isArray(value)
    ? "array"
    : typeof value === "boolean"
      ? "bool"
      : isMap(value)
        ? "object"
        : typeof value;
  return `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into Go value of type ${target}`;
}

function fromYaml(text: string): unknown {
  try {
    const { value } = readYaml(text);
    if (value === null) return {};
    return isMap(value) ? value : { Error: mismatch(value, "map[string]interface {}") };
  } catch (error) {
    return { Error: `error converting YAML to JSON: ${messageOf(error)}` };
  }
}

function fromYamlArray(text: string): unknown {
  try {
    const { value } = readYaml(text);
    if (value === null) return [];
    return Array.isArray(value) ? value : [mismatch(value, "[]interface {}")];
  } catch (error) {
    return [`error converting YAML to JSON: ${messageOf(error)}`];
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (text.trim() === "") throw new CallError("unexpected end of JSON input");
    const [character = ""] = text.trim();
    throw new CallError(`invalid character '${character}' looking for beginning of value`);
  }
}

function fromJson(text: string): unknown {
  try {
    const value = parseJson(text);
    return isMap(value) || value === null
      ? (value ?? {})
      : { Error: mismatch(value, "map[string]interface {}").replace(/^.*JSON: json/, "json") };
  } catch (error) {
    return { Error: messageOf(error) };
  }
}

function fromJsonArray(text: string): unknown {
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : [mismatch(value, "[]interface {}").replace(/^.*JSON: json/, "json")];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Encodes with sorted keys. `indent` is the indentation of one level, or empty. */
function jsonText(value: unknown, indent: string, level = ""): string {
  const inner = level + indent;
  const [open, between, close] = indent === "" ? ["", ",", ""] : [`\n${inner}`, `,\n${inner}`, `\n${level}`];
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${open}${value.map((item) => jsonText(item, indent, inner)).join(between)}${close}]`;
  }
  if (!isMap(value)) return JSON.stringify(value ?? null);
  const keys = sortedKeys(value).filter((key) => value[key] !== undefined);
  if (keys.length === 0) return "{}";
  const colon = indent === "" ? ":" : ": ";
  return `{${open}${keys.map((key) => JSON.stringify(key) + colon + jsonText(getKey(value, key), indent, inner)).join(between)}${close}}`;
}

function decodeBase64(text: string): string {
  const at = text.replaceAll(/[\r\n]/g, "").search(/[^A-Za-z0-9+/=]/);
  try {
    if (at < 0) return textOfBytes(bytesOfBase64(text));
  } catch {
    return `illegal base64 data at input byte ${Math.max(0, text.length - (text.length % 4))}`;
  }
  return `illegal base64 data at input byte ${at}`;
}

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function encodeBase32(text: string): string {
  const bits = [...bytesOfText(text)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = (bits.match(/.{1,5}/g) ?? []).map(
    (five) => base32Alphabet[Number.parseInt(five.padEnd(5, "0"), 2)] ?? "",
  );
  return letters.join("").padEnd(Math.ceil(letters.length / 8) * 8, "=");
}

function decodeBase32(text: string): string {
  const bare = trimmedEnd(text, "=");
  const bad = [...bare].findIndex((letter) => !base32Alphabet.includes(letter));
  if (bad >= 0) return `illegal base32 data at input byte ${bad}`;
  const bits = [...bare].map((letter) => base32Alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return textOfBytes(Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2)));
}

function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (const byte of bytesOfText(text)) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return String(b * 65536 + a);
}

const toJson = define("a", (value: unknown) => escapeHtml(jsonText(plain(value), "")));
const toPrettyJson = define("a", (value: unknown) => escapeHtml(jsonText(plain(value), "  ")));
const toRawJson = define("a", (value: unknown) => jsonText(plain(value), ""));

export const dataFunctions: Functions = {
  toYaml: define("a", yamlText),
  mustToYaml: define("a", yamlText),
  toYamlPretty: define("a", prettyYaml),
  fromYaml: define("s", fromYaml),
  fromYamlArray: define("s", fromYamlArray),
  toJson,
  mustToJson: toJson,
  toPrettyJson,
  mustToPrettyJson: toPrettyJson,
  toRawJson,
  mustToRawJson: toRawJson,
  fromJson: define("s", fromJson),
  mustFromJson: define("s", parseJson),
  fromJsonArray: define("s", fromJsonArray),
  toToml: define("a", (value: unknown) => {
    const map = plain(value);
    return isMap(map) ? tomlOf(map) : `toml: top-level values must be Go maps or structs: ${typeOf(value)}`;
  }),
  b64enc: define("s", (text: string) => base64Of(bytesOfText(text))),
  b64dec: define("s", decodeBase64),
  b32enc: define("s", encodeBase32),
  b32dec: define("s", decodeBase32),
  adler32sum: define("s", adler32),
};
