// What is used of the platform's `node:crypto` and `node:buffer`: synchronous hashing and signing, and base64url.
declare module "node:buffer" {
  export interface Buffer extends Uint8Array {
    toString(encoding?: "base64url"): string;
  }
  export const Buffer: { from(text: string, encoding?: "base64url"): Buffer };
}

declare module "node:crypto" {
  import type { Buffer } from "node:buffer";

  interface Hash {
    update(data: string | Uint8Array): Hash;
    digest(encoding: "hex" | "base64url"): string;
  }
  interface Key {
    export(options: { type: "pkcs8" | "spki"; format: "pem" }): string;
    export(options: { type: "spki"; format: "der" }): Buffer;
    export(options: { format: "jwk" }): { kty?: string; crv?: string; x?: string; y?: string };
  }
  interface SigningKey {
    key: string;
    dsaEncoding: "ieee-p1363";
  }
  export function createHash(algorithm: "sha256"): Hash;
  export function createPublicKey(pem: string): Key;
  export function generateKeyPairSync(type: "ec", options: { namedCurve: "P-256" }): { privateKey: Key };
  export function sign(algorithm: "sha256", data: Uint8Array, key: SigningKey): Buffer;
  export function verify(algorithm: "sha256", data: Uint8Array, key: SigningKey, signature: Uint8Array): boolean;
}
