// Resolves YAML scalars like Go's parser (yaml.v2) on the way to JSON.
import { base64Text } from "./binary.ts";
import { YamlError } from "./errors.ts";

/** A scalar with its Go type, which distinguishes keys: 1 and 1.0 are two keys of one map. */
export type Scalar =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int" | "float"; readonly value: number }
  | { readonly type: "null"; readonly value: null };

const prefix = "tag:yaml.org,2002:";
const resolvable = ["str", "bool", "int", "float", "null", "timestamp"].map((name) => prefix + name);

const nothing: Scalar = { type: "null", value: null };
const words = new Map<string, Scalar>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, { type: "bool", value: true }] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, { type: "bool", value: false }] as const,
  ),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, nothing] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, { type: "float", value: Number.NaN }] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map(
    (word) => [word, { type: "float", value: Number.POSITIVE_INFINITY }] as const,
  ),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, { type: "float", value: Number.NEGATIVE_INFINITY }] as const),
]);

/** Resolves a plain scalar without a tag. */
export function resolvePlain(text: string): Scalar {
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!isNumeric) return words.get(text) ?? { type: "string", value: text };
  return words.get(text) ?? (first === 46 ? floatOf(text) : numberOf(text)) ?? { type: "string", value: text };
}

/** Resolves a scalar with a full tag. A tag that Go's parser does not know is ignored. */
export function resolveTagged(tag: string, text: string): Scalar {
  if (tag === `${prefix}binary`) return { type: "string", value: base64Text(text) };
  if (!resolvable.includes(tag) || tag === `${prefix}str`) return { type: "string", value: text };
  const plain = resolvePlain(text);
  const tagName = tag.slice(prefix.length);
  if (tagName === plain.type || (tagName === "timestamp" && /^\d{4}-\d/.test(text))) return plain;
  if (tagName === "float" && plain.type === "int") return { type: "float", value: plain.value };
  const typeName = plain.type === "string" ? "str" : plain.type;
  throw new YamlError(`yaml: cannot decode !!${typeName} \`${text}\` as a !!${tagName}`);
}

/** The length up to which texts are parsed as numbers, because parsing takes time. */
const longestNumber = 1000;

/** Parses a scalar that begins with a digit or a sign. Dates stay texts. */
function numberOf(text: string): Scalar | undefined {
  if (text.length > longestNumber) return undefined;
  const plain = text.replaceAll("_", "");
  return intOf(plain) ?? floatOf(plain);
}

const bases = [
  [/^0[xX][0-9a-fA-F]+$/, 2, 16],
  [/^0[oO][0-7]+$/, 2, 8],
  [/^0[bB][01]+$/, 2, 2],
  [/^0[0-7]+$/, 1, 8],
  [/^(?:0|[1-9]\d*)$/, 0, 10],
] as const;
const largest = 2n ** 64n;

/** Parses like `strconv.ParseInt` and `ParseUint` with base 0, up to 64 bits. */
function intOf(text: string): Scalar | undefined {
  const isNegative = text.startsWith("-");
  const digits = isNegative || text.startsWith("+") ? text.slice(1) : text;
  const base = bases.find(([pattern]) => pattern.test(digits));
  if (!base) return undefined;
  const value = Number.parseInt(digits.slice(base[1]), base[2]);
  if (!Number.isSafeInteger(value) && !fits(digits, base, isNegative)) return undefined;
  return { type: "int", value: isNegative && value !== 0 ? -value : value };
}

function fits(digits: string, [, skipped, radix]: (typeof bases)[number], isNegative: boolean): boolean {
  const prefixes = { 2: "0b", 8: "0o", 10: "", 16: "0x" } as const;
  return BigInt(prefixes[radix] + digits.slice(skipped)) < (isNegative ? largest / 2n + 1n : largest);
}

function floatOf(text: string): Scalar | undefined {
  if (text.length > longestNumber || !/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { type: "float", value } : undefined;
}
