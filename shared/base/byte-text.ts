// Lossless conversion between arbitrary bytes and text. Invalid UTF-8 becomes lone surrogates U+DC80 to U+DCFF, one for each byte, which no
// valid text contains and which JSON preserves.

/** Globals that every runtime has and the language does not declare. */
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal: true; readonly ignoreBOM: true },
) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
};

const escape = 0xdc00;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function textOfBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return escaped(bytes);
  }
}

export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  // Most texts are well-formed and contain no such surrogates.
  if (text.isWellFormed()) return encoder.encode(text);
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes[length++] = code;
    else if (code >= escape + 0x80 && code <= escape + 0xff) bytes[length++] = code - escape;
    else {
      // A surrogate pair is encoded with its second unit.
      const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
      length += encoder.encodeInto(letter, bytes.subarray(length)).written;
      at += letter.length - 1;
    }
  }
  return bytes.slice(0, length);
}

/** Returns the number of bytes that a text stands for. */
export function byteLength(text: string): number {
  // Most texts are ASCII and need no copy.
  return /[^\0-\x7f]/.test(text) ? bytesOfText(text).length : text.length;
}

/** Returns a reader for bytes in chunks. An incomplete character at the end of a chunk waits for the next one; `end` returns the rest. */
export function newByteReader(): { read(bytes: Uint8Array): string; end(): string } {
  let incompleteBytes: Uint8Array = new Uint8Array();
  return {
    read: (bytes) => {
      const all = joinBytes([incompleteBytes, bytes]);
      const end = all.length - unfinished(all);
      incompleteBytes = all.slice(end);
      return textOfBytes(all.subarray(0, end));
    },
    end: () => textOfBytes(incompleteBytes),
  };
}

/** Returns the trailing bytes that may begin a character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xf0) return first < 0xf5 ? 4 : 1;
  return first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
}

/** The maximum number of arguments of one call. */
const chunk = 8192;

function escaped(bytes: Uint8Array): string {
  const units: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = letterAt(bytes, at);
    if (length === 0) units.push(escape + (bytes[at++] ?? 0));
    else {
      push(units, bytes, at, length);
      at += length;
    }
  }
  let text = "";
  for (let at = 0; at < units.length; at += chunk) text += String.fromCharCode(...units.slice(at, at + chunk));
  return text;
}

function push(units: number[], bytes: Uint8Array, at: number, length: number): void {
  const first = bytes[at] ?? 0;
  let point = length === 1 ? first : first & (0xff >> (length + 1));
  for (let next = 1; next < length; next++) point = (point << 6) | ((bytes[at + next] ?? 0) & 0x3f);
  if (point < 0x10000) units.push(point);
  else units.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
}

/** Returns the length of the character at an offset, or 0. The bounds of the second byte exclude overlong encodings and surrogates. */
function letterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = lengthOf(first);
  if (length === 1) return first < 0x80 ? 1 : 0;
  if (at + length > bytes.length) return 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < lowest || second > highest) return 0;
  for (let next = 2; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** The maximum number of arguments of one call. */
const letterPiece = 8192;

/** Maps each byte to the letter with its number, U+0000 to U+00FF. The platform's `latin1` decoder maps 0x80 to 0x9F differently. */
export function lettersOfBytes(bytes: Uint8Array): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += letterPiece)
    letters += String.fromCharCode(...bytes.subarray(at, at + letterPiece));
  return letters;
}

/** Decodes letters that stand for bytes to the text of these bytes. */
export function textOfLetters(letters: string): string {
  return textOfBytes(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
}

/** Returns the bytes of all chunks in one array of `length`, which can be longer than the chunks. */
export function joinBytes(
  chunks: readonly Uint8Array[],
  length = chunks.reduce((sum, chunk) => sum + chunk.length, 0),
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
