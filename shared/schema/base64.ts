// Bytes in JSON: standard base64 as Go's strict decoder accepts it, which also skips line breaks.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const pad = 61;
/** The six bits of each character code, or -1. */
const bits = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value++) bits[alphabet.charCodeAt(value)] = value;

/** Returns the text as it is printed again, or the position of the first invalid byte. */
export function canonicalBase64(text: string): string | { readonly badByte: number } {
  const clean = text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]/g, "") : text;
  let end = clean.length;
  let padding = 0;
  while (padding < 2 && end > 0 && clean.charCodeAt(end - 1) === pad) {
    end--;
    padding++;
  }
  for (let at = 0; at < end; at++) {
    const code = clean.charCodeAt(at);
    if (code > 127 || (bits[code] ?? -1) < 0) return { badByte: at };
  }
  if (end % 4 === 1 || (end + padding) % 4 !== 0) return { badByte: Math.min(end + padding, text.length) };
  return withoutSpareBits(clean, end);
}

/** Sets the bits past the last byte to zero. */
function withoutSpareBits(text: string, end: number): string {
  const rest = end % 4;
  if (rest === 0) return text;
  const last = bits[text.charCodeAt(end - 1)] ?? 0;
  const usedBits = rest === 2 ? last & 0b110000 : last & 0b111100;
  return usedBits === last ? text : text.slice(0, end - 1) + (alphabet[usedBits] ?? "") + text.slice(end);
}
