// FNV-1a, for names that are derived from content.

/** Returns 16 hexadecimal digits: two 32-bit FNV-1a sums with different offsets, enough to make collisions unlikely. */
export function hash64(text: string): string {
  return fnv(text, 0x811c9dc5) + fnv(text, 0x9dc5811c);
}

function fnv(text: string, offset: number): string {
  let sum = offset;
  for (let at = 0; at < text.length; at++) {
    sum ^= text.charCodeAt(at);
    sum = Math.imul(sum, 0x01000193);
  }
  return (sum >>> 0).toString(16).padStart(8, "0");
}
