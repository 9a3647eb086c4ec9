// The certificate authority of the cluster. The owner of its key provides the implementation.
import type { Issuer } from "../../../shared/x509/certificate.ts";

export interface Authority extends Issuer {
  /** The authority's own certificate as PEM. */
  readonly certificate: string;
  readonly notAfterMs: number;
  /** Reports whether the holder of a public key (as DER) signed `data`. False for an unknown algorithm. */
  verify(data: Uint8Array, signature: Uint8Array, algorithm: string, publicKey: Uint8Array): boolean;
}
