// The used declarations of the platform's `node:crypto`, `node:buffer` and `node:zlib`: synchronous hashing, signing and compression, and
// base64url.
declare module "node:buffer" {
  export interface Buffer extends Uint8Array {
    toString(encoding?: "base64url" | "hex"): string;
  }
  export const Buffer: { from(text: string, encoding?: "base64url"): Buffer; from(bytes: Uint8Array): Buffer };
}

declare module "node:crypto" {
  import type { Buffer } from "node:buffer";

  interface Hash {
    update(data: string | Uint8Array): Hash;
    digest(encoding: "hex" | "base64url"): string;
    digest(): Buffer;
  }
  interface Key {
    export(options: { type: "pkcs8" | "spki"; format: "pem" }): string;
    export(options: { type: "spki"; format: "der" }): Buffer;
    export(options: { format: "jwk" }): {
      kty?: string;
      crv?: string;
      x?: string;
      y?: string;
      n?: string;
      e?: string;
    };
  }
  interface SigningKey {
    key: string;
    dsaEncoding: "ieee-p1363";
  }
  /** A key as DER, the format of foreign public keys. */
  interface DerKey {
    readonly key: Buffer;
    readonly format: "der";
    readonly type: "spki";
  }
  interface CheckingKey extends Key {
    readonly asymmetricKeyType?: string;
  }
  interface Cipher {
    setAAD(data: Uint8Array): Cipher;
    update(data: Uint8Array): Buffer;
    final(): Buffer;
    /** The tag of GCM, after `final`. */
    getAuthTag(): Buffer;
  }
  /** AES with padding (CBC) or a tag (GCM). */
  export function createCipheriv(algorithm: string, key: Uint8Array, iv: Uint8Array): Cipher;
  export function checkPrimeSync(candidate: bigint, options: { checks: number }): boolean;
  export function createHmac(algorithm: "sha256", key: string | Uint8Array): Hash;
  export function createHash(algorithm: "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512"): Hash;
  export function createPublicKey(key: string | DerKey): CheckingKey;
  export function generateKeyPairSync(type: "ec", options: { namedCurve: "P-256" }): { privateKey: Key };
  export function randomBytes(size: number): Buffer;
  export function sign(algorithm: "sha256", data: Uint8Array, key: SigningKey | string): Buffer;
  export function verify(algorithm: "sha256", data: Uint8Array, key: SigningKey, signature: Uint8Array): boolean;
  export function verify(algorithm: string | null, data: Uint8Array, key: CheckingKey, signature: Uint8Array): boolean;
}

declare module "node:zlib" {
  interface DeflateOptions {
    readonly level?: number;
    /** The way in which the output ends. */
    readonly finishFlush?: number;
    /** The bytes by which the output grows. */
    readonly chunkSize?: number;
  }
  export const constants: { readonly Z_BEST_SPEED: number; readonly Z_SYNC_FLUSH: number };
  /** Returns the CRC-32 of bytes, which continues that of earlier ones. */
  export function crc32(data: Uint8Array, value?: number): number;
  /** Compresses in the format without a header. */
  export function deflateRawSync(data: Uint8Array, options?: DeflateOptions): Uint8Array;
  /** Throws if the output exceeds `maxOutputLength`. */
  export function inflateRawSync(data: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
}
