// Base64, standard and URL-safe, of bytes and of UTF-8 text. Decoders throw on invalid base64.
import { decodeUtf8Leniently, encodeUtf8 } from "./utf8.ts";

/** Globals that every runtime has and the language does not declare. Their texts have one character for each byte. */
declare function atob(base64: string): string;
declare function btoa(bytes: string): string;

/** The maximum number of arguments of one call. */
const chunk = 8192;

export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunk) text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(text);
}

export function base64OfText(text: string): string {
  return base64Of(encodeUtf8(text));
}

/** Encodes without padding. */
export function base64UrlOfText(text: string): string {
  return base64OfText(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Decodes with or without padding. */
export function bytesOfBase64Url(base64: string): Uint8Array<ArrayBuffer> {
  return bytesOfBase64(base64.replaceAll("-", "+").replaceAll("_", "/"));
}

/** Returns the bytes, or undefined for invalid base64. */
export function tryBytesOfBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return bytesOfBase64(base64);
  } catch {
    return undefined;
  }
}

/** Decodes base64 to text. Invalid UTF-8 becomes U+FFFD. */
export function textOfBase64(base64: string): string {
  return decodeUtf8Leniently(bytesOfBase64(base64));
}
