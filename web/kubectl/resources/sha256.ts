// Synchronous SHA-256, because names are computed from hashes while an object is built.

const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const constants = firstPrimes(64).map((prime) => Math.floor((Math.cbrt(prime) % 1) * 2 ** 32) >>> 0);

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let at = 2; primes.length < count; at++) if (primes.every((prime) => at % prime !== 0)) primes.push(at);
  return primes;
}

export function sha256Hex(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor((bytes.length * 8) / 2 ** 32));
  view.setUint32(length - 4, (bytes.length * 8) >>> 0);
  const state = Uint32Array.from(initial);
  for (let at = 0; at < length; at += 64) round(state, view, at);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function round(state: Uint32Array, view: DataView, at: number): void {
  const words = new Uint32Array(64);
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
  const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));
  const word = (i: number) => words[i] ?? 0;
  for (let i = 16; i < 64; i++) {
    const small = turn(word(i - 15), 7) ^ turn(word(i - 15), 18) ^ (word(i - 15) >>> 3);
    const large = turn(word(i - 2), 17) ^ turn(word(i - 2), 19) ^ (word(i - 2) >>> 10);
    words[i] = word(i - 16) + small + word(i - 7) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const mixed = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + word(i);
    const majority = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + mixed) | 0, c, b, a, (mixed + majority) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + value;
}
