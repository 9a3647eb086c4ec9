// NaCl's secretbox: XSalsa20 and Poly1305 (https://nacl.cr.yp.to/secretbox.html). Neither is in the platform's `node:crypto`.

export const secretboxNonceBytes = 24;
const blockBytes = 64;
const tagBytes = 16;
/** The bytes at the start of the key stream that become the key of the authenticator. */
const authenticatorKeyBytes = 32;

/** Encrypts a message. Returns the authenticator's tag and the ciphertext. */
export function secretbox(key: Uint8Array, nonce: Uint8Array, message: Uint8Array): Uint8Array {
  const subkey = hsalsa20(wordsOf(key), wordsOf(nonce.subarray(0, 16)));
  const streamNonce = wordsOf(nonce.subarray(16, 24));
  const padded = new Uint8Array(authenticatorKeyBytes + message.length);
  padded.set(message, authenticatorKeyBytes);
  for (let at = 0, counter = 0; at < padded.length; at += blockBytes, counter++) {
    const block = salsa20Block(subkey, streamNonce, counter);
    for (let index = 0; index < blockBytes && at + index < padded.length; index++)
      padded[at + index] = (padded[at + index] ?? 0) ^ (block[index] ?? 0);
  }
  const cipherText = padded.subarray(authenticatorKeyBytes);
  const box = new Uint8Array(tagBytes + message.length);
  box.set(poly1305(padded.subarray(0, authenticatorKeyBytes), cipherText));
  box.set(cipherText, tagBytes);
  return box;
}

/** The words of "expand 32-byte k". */
const constants = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
/** The columns, then the rows, of the matrix of 16 words. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4, true));
}

function matrixOf(key: Uint32Array, input: readonly number[]): Uint32Array {
  const [c0, c1, c2, c3] = constants;
  return Uint32Array.of(c0, ...key.subarray(0, 4), c1, ...input, c2, ...key.subarray(4, 8), c3);
}

/** Runs the 20 rounds of Salsa20 on a copy of a matrix. */
function rounds(matrix: Uint32Array): Uint32Array {
  const words = matrix.slice();
  const mix = (target: number, a: number, b: number, bits: number) => {
    const sum = ((words[a] ?? 0) + (words[b] ?? 0)) >>> 0;
    words[target] = (words[target] ?? 0) ^ ((sum << bits) | (sum >>> (32 - bits)));
  };
  for (let round = 0; round < 10; round++)
    for (const [a, b, c, d] of quarters) {
      mix(b, a, d, 7);
      mix(c, b, a, 9);
      mix(d, c, b, 13);
      mix(a, d, c, 18);
    }
  return words;
}

function hsalsa20(key: Uint32Array, input: Uint32Array): Uint32Array {
  const words = rounds(matrixOf(key, [...input]));
  return Uint32Array.from([0, 5, 10, 15, 6, 7, 8, 9], (at) => words[at] ?? 0);
}

function salsa20Block(key: Uint32Array, nonce: Uint32Array, counter: number): Uint8Array {
  const matrix = matrixOf(key, [...nonce, counter, 0]);
  const words = rounds(matrix);
  const bytes = new Uint8Array(blockBytes);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < 16; at++) view.setUint32(at * 4, ((words[at] ?? 0) + (matrix[at] ?? 0)) >>> 0, true);
  return bytes;
}

const prime = (1n << 130n) - 5n;
const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

function numberOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return value;
}

function poly1305(key: Uint8Array, message: Uint8Array): Uint8Array {
  const factor = numberOf(key.subarray(0, 16)) & clamp;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + numberOf(block) + (1n << BigInt(8 * block.length))) * factor) % prime;
  }
  let tag = sum + numberOf(key.subarray(16, 32));
  const bytes = new Uint8Array(tagBytes);
  for (let at = 0; at < tagBytes; at++, tag >>= 8n) bytes[at] = Number(tag & 0xffn);
  return bytes;
}
