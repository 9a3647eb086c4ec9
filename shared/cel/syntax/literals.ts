// The values of literals in the source.
import {
  type CelType,
  boolType,
  bytesType,
  doubleType,
  errorType,
  intType,
  nullType,
  stringType,
  uintType,
} from "../types.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { type Value, kindOf, uint } from "../values.ts";

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

const short: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Parses an integer. Returns undefined if it is out of range. */
export function intLiteral(text: string): bigint | undefined {
  const isNegative = text.startsWith("-");
  const size = BigInt(isNegative ? text.slice(1) : text);
  const value = isNegative ? -size : size;
  return value > maxInt || value < minInt ? undefined : value;
}

export function uintLiteral(text: string): Value | undefined {
  const value = BigInt(text.slice(0, -1));
  return value > maxUint ? undefined : uint(value);
}

export function doubleLiteral(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

export function typeOfLiteral(value: Value): CelType {
  switch (kindOf(value)) {
    case "bool":
      return boolType;
    case "bytes":
      return bytesType;
    case "double":
      return doubleType;
    case "int":
      return intType;
    case "null":
      return nullType;
    case "string":
      return stringType;
    case "uint":
      return uintType;
    default:
      return errorType;
  }
}

/** Returns the value of a string literal, or its error. */
export function stringLiteral(token: string): { readonly text: string } | { readonly why: string } {
  const { body, isRaw } = bodyOf(token);
  if (isRaw || !body.includes("\\")) return { text: body };
  let why: string | undefined;
  const text = body.replace(/\\(?:[xX](..)|u(....)|U(........)|([0-3][0-7][0-7])|(.))/gs, (_all, ...groups) => {
    const [hex2, hex4, hex8, octal, char] = groups as (string | undefined)[];
    if (char !== undefined) return short[char] ?? char;
    const hex = hex2 ?? hex4 ?? hex8;
    const code = hex === undefined ? parseInt(octal ?? "0", 8) : parseInt(hex, 16);
    if (code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return String.fromCodePoint(code);
    why = "invalid unicode code point";
    return "";
  });
  return why === undefined ? { text } : { why };
}

/** Returns the value of a bytes literal: characters are encoded as UTF-8, escapes are bytes. */
export function bytesLiteral(token: string): { readonly bytes: Uint8Array } | { readonly why: string } {
  const { body, isRaw } = bodyOf(token.slice(1));
  if (!isRaw && /\\[uU]/.test(body.replaceAll("\\\\", ""))) return { why: "unable to unescape string" };
  const bytes: number[] = [];
  const pattern = isRaw ? /([^])/gu : /\\(?:[xX](..)|([0-3][0-7][0-7])|(.))|([^])/gsu;
  for (const piece of body.matchAll(pattern)) {
    if (isRaw) bytes.push(...encodeUtf8(piece[1] ?? ""));
    else if (piece[1] !== undefined) bytes.push(parseInt(piece[1], 16));
    else if (piece[2] !== undefined) bytes.push(parseInt(piece[2], 8));
    else if (piece[3] !== undefined) bytes.push(...encodeUtf8(short[piece[3]] ?? piece[3]));
    else bytes.push(...encodeUtf8(piece[4] ?? ""));
  }
  return { bytes: Uint8Array.from(bytes) };
}

function bodyOf(token: string): { readonly body: string; readonly isRaw: boolean } {
  const isRaw = /^[rR]/.test(token);
  const quoted = (isRaw ? token.slice(1) : token).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const marks = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1;
  return { body: quoted.slice(marks, quoted.length - marks), isRaw };
}
