// The uids of a base's objects: each follows from the cluster's seed and the object's revision.

/** A random UUID gives others that look as random: none of them is the seed, and no two are the same. */
export function uidOf(seed: string, revision: number): string {
  const digits = seed.replaceAll("-", "");
  let hex = "";
  for (let word = 0; word < 4; word++) {
    const number = Number.parseInt(digits.slice(8 * word, 8 * word + 8), 16);
    const mixed = mix(number ^ mix(Math.imul(revision, 0x9e3779b1) + Math.imul(word + 1, 0x85ebca6b)));
    hex += mixed.toString(16).padStart(8, "0");
  }
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4] ?? "8";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The last step of murmur3: every bit of 32 depends on every other, and none is lost. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
