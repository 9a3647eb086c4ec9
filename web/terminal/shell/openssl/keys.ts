// RSA keys by the browser's cryptography, as PEM texts.
import { pemBlocks, pemText } from "../../../../shared/x509/pem.ts";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const exponent = new Uint8Array([1, 0, 1]);
const [leastBits, mostBits] = [1024, 4096];

export interface KeyPair {
  readonly privateKey: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
  /** The SubjectPublicKeyInfo as DER. */
  readonly publicKey: Uint8Array;
}

/** Generates a private key as PEM. Throws for lengths that are not simulated. */
export async function newKeyPem(bits: number): Promise<string> {
  if (!Number.isInteger(bits) || bits < leastBits || bits > mostBits || bits % 256 !== 0)
    throw new Error(`keys of ${bits} bits are not simulated in this terminal`);
  const generator = { ...algorithm, modulusLength: bits, publicExponent: exponent };
  const { privateKey } = await crypto.subtle.generateKey(generator, true, ["sign", "verify"]);
  return pemText("PRIVATE KEY", new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey)));
}

/** Reads a private key; undefined if the text has none that is known here. */
export async function readKeyPair(pem: string): Promise<KeyPair | undefined> {
  const block = pemBlocks(pem).find(({ type }) => type === "PRIVATE KEY");
  if (!block) return undefined;
  try {
    const privateKey = await crypto.subtle.importKey("pkcs8", Uint8Array.from(block.bytes), algorithm, true, ["sign"]);
    const { kty = "RSA", n = "", e = "" } = await crypto.subtle.exportKey("jwk", privateKey);
    const publicKey = await crypto.subtle.importKey("jwk", { kty, n, e }, algorithm, true, ["verify"]);
    return { privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)) };
  } catch {
    return undefined;
  }
}

export async function signed(data: Uint8Array, { privateKey }: KeyPair): Promise<ArrayBuffer> {
  return crypto.subtle.sign(algorithm.name, privateKey, Uint8Array.from(data));
}
