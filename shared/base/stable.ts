// Numbers and identifiers derived from a text, so that a pod has the same ones after every restart of the object.

/** Returns a 32-bit hash (FNV-1a with a final mix, so that similar texts differ in all bits). */
export function stableHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** Returns a float in [0, 1). */
export function stableFraction(text: string): number {
  return stableHash(text) / 4294967296;
}

/** Returns `length` hexadecimal digits, the form of a container ID or image digest. */
export function stableHex(text: string, length: number): string {
  let state = stableHash(text);
  let hex = "";
  while (hex.length < length) {
    state = mix((state + 0x9e3779b9) | 0);
    hex += state.toString(16).padStart(8, "0");
  }
  return hex.slice(0, length);
}

/** Returns a text in the form of a UUID. */
export function stableUuid(text: string): string {
  const hex = stableHex(text, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}

function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
