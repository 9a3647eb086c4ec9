// UTF-8: conversion of text and bytes, and the length of text in bytes, as upstream counts it.

/** Globals that every runtime has and the language does not declare. */
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal: boolean; readonly ignoreBOM: true },
) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> };

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const encoder = new TextEncoder();

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Returns undefined for invalid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes bytes; invalid UTF-8 becomes U+FFFD. */
export function decodeUtf8Leniently(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    // A surrogate pair is two units and four bytes; every other unit above ASCII is two or three bytes.
    if (isPair) at += 1;
    bytes += isPair || unit >= 0x800 ? 2 : 1;
  }
  return bytes;
}
