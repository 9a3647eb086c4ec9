// RSA keys that are derived from a seed, so that a repeated run of a command generates the same key; and PEM files of keys.
import { once } from "../../../../../shared/base/once.ts";
import { checkPrimeSync, createPublicKey } from "node:crypto";
import { Integer, Null, ObjectIdentifier, OctetString, Sequence } from "asn1js";
import { stableHex } from "../../../../../shared/base/stable.ts";
import { pemBlocks, pemText } from "../../../../../shared/x509/pem.ts";

const exponent = 65_537n;
const rsaEncryption = "1.2.840.113549.1.1.1";
/** Small primes that rule out most candidates before the expensive test. */
const smallPrimes = once(() => primesBelow(10_000));

function primesBelow(end: number): readonly bigint[] {
  const primes: number[] = [];
  for (let candidate = 3; candidate < end; candidate += 2)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes.map(BigInt);
}

/** The last generated keys, so that a repeated run does not generate them again. */
const cachedKeys = new Map<string, string>();
const mostMade = 16;

/** Returns a key of `bits` bits, a multiple of 512, as PEM in PKCS #8. */
export function rsaKeyOf(seed: string, bits: number): string {
  const name = `${seed}/${bits}`;
  const pem = cachedKeys.get(name) ?? newKey(seed, bits);
  cachedKeys.set(name, pem);
  const [oldest = ""] = cachedKeys.keys();
  if (cachedKeys.size > mostMade) cachedKeys.delete(oldest);
  return pem;
}

function newKey(seed: string, bits: number): string {
  const half = bits / 2;
  for (let round = 0; ; round++) {
    const p = primeOf(`${seed}/${round}/p`, half);
    const q = primeOf(`${seed}/${round}/q`, half);
    const order = (p - 1n) * (q - 1n);
    if (p === q || order % exponent === 0n) continue;
    const d = inverse(exponent, order);
    const numbers = [0n, p * q, exponent, d, p, q, d % (p - 1n), d % (q - 1n), inverse(q, p)];
    return pemText(
      "PRIVATE KEY",
      wrapped(new Sequence({ value: numbers.map((integer) => Integer.fromBigInt(integer)) })),
    );
  }
}

/** Wraps the key's numbers in PKCS #8. */
function wrapped(key: Sequence): Uint8Array {
  const algorithm = new Sequence({ value: [new ObjectIdentifier({ value: rsaEncryption }), new Null()] });
  const content = new OctetString({ valueHex: key.toBER() });
  return new Uint8Array(new Sequence({ value: [new Integer({ value: 0 }), algorithm, content] }).toBER());
}

/** Returns a prime whose two highest bits are set, so that the product of two has all its bits. */
function primeOf(seed: string, bits: number): bigint {
  const highest = 3n << BigInt(bits - 2);
  const start = (BigInt(`0x${hexOf(seed, bits / 4)}`) | highest | 1n) & ((1n << BigInt(bits)) - 1n);
  const primes = smallPrimes();
  const remainders = primes.map((prime) => Number(start % prime));
  for (let step = 0; ; step += 2) {
    if (primes.some((prime, at) => ((remainders[at] ?? 0) + step) % Number(prime) === 0)) continue;
    const candidate = start + BigInt(step);
    if (checkPrimeSync(candidate, { checks: 4 })) return candidate;
  }
}

function hexOf(seed: string, length: number): string {
  let hex = "";
  for (let at = 0; hex.length < length; at++) hex += stableHex(`${seed}/${at}`, 32);
  return hex.slice(0, length);
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return x < 0n ? x + modulus : x;
}

/** Returns the first private key of a file as PEM; undefined if there is none that can be read. */
export function privateKeyIn(text: string): string | undefined {
  const block = pemBlocks(text).find(({ type }) => /^((RSA|EC) )?PRIVATE KEY$/.test(type));
  const pem = block && pemText(block.type, block.bytes);
  return pem !== undefined && publicKeyOf(pem) ? pem : undefined;
}

/** Returns the SubjectPublicKeyInfo of a key in PEM as DER; undefined if it cannot be read. */
export function publicKeyOf(pem: string): Uint8Array | undefined {
  try {
    return new Uint8Array(createPublicKey(pem).export({ type: "spki", format: "der" }));
  } catch {
    return undefined;
  }
}
