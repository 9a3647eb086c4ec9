// What signs certificates: the cluster's authority, handed in by who holds its key.
import type { Issuer } from "../../../shared/x509/certificate.ts";

export interface Authority extends Issuer {
  /** Its own certificate, as PEM. */
  readonly certificate: string;
  readonly notAfterMs: number;
  /** Whether this is the signature of `data` by the holder of a public key (as DER); false for an algorithm that is not known. */
  verify(data: Uint8Array, signature: Uint8Array, algorithm: string, publicKey: Uint8Array): boolean;
}
