// The one thing used of the platform's `node:crypto`: synchronous hashing.
declare module "node:crypto" {
  export function createHash(algorithm: "sha256"): { update(text: string): { digest(encoding: "hex"): string } };
}
