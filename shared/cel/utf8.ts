// Bytes and text: UTF-8 and base64.
import { trimmedEnd } from "../base/trim.ts";
import { utf8Length } from "../base/utf8.ts";

export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let at = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) bytes[at++] = code;
    else if (code < 0x800) {
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      bytes[at++] = 0xe0 | (code >> 12);
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[at++] = 0x80 | (code & 0x3f);
    } else {
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[at++] = 0x80 | (code & 0x3f);
    }
  }
  return bytes;
}

/** Undefined where the bytes are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const chars: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = lengthOf(first);
    if (length === 0 || at + length > bytes.length) return undefined;
    let code = length === 1 ? first : first & (0xff >> (length + 1));
    for (let next = 1; next < length; next++) {
      const byte = bytes[at + next] ?? 0;
      if ((byte & 0xc0) !== 0x80) return undefined;
      code = (code << 6) | (byte & 0x3f);
    }
    if (code < (least[length] ?? 0) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    chars.push(String.fromCodePoint(code));
    at += length;
  }
  return chars.join("");
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Of text that is known to be base64. */
export function bytesOfBase64(text: string): Uint8Array {
  const bare = trimmedEnd(text, "=");
  const bytes = new Uint8Array(Math.floor((bare.length * 3) / 4));
  let bits = 0;
  let at = 0;
  for (let index = 0; index < bare.length; index++) {
    bits = ((bits << 6) | digits.indexOf(bare[index] ?? "A")) & 0xffffff;
    // Every four digits are three bytes; each digit but the first of four ends one.
    const place = index % 4;
    if (place > 0) bytes[at++] = (bits >> (6 - place * 2)) & 0xff;
  }
  return bytes;
}

/** The least code that needs so many bytes. */
const least: Readonly<Record<number, number>> = { 1: 0, 2: 0x80, 3: 0x800, 4: 0x10000 };

function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc0 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf8 ? 4 : 0;
}
