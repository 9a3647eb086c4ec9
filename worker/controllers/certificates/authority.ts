// What signs certificates: the cluster's authority, handed in by who holds its key.

export interface Authority {
  /** Its own certificate, as PEM. */
  readonly certificate: string;
  /** Its subject, as DER: the issuer of what it signs. */
  readonly subject: Uint8Array;
  readonly keyId: Uint8Array;
  readonly notAfterMs: number;
  /** The signature of ECDSA with SHA-256, as DER. */
  sign(data: Uint8Array): Uint8Array;
  /** Whether this is the signature of `data` by the holder of a public key (as DER); false for an algorithm that is not known. */
  verify(data: Uint8Array, signature: Uint8Array, algorithm: string, publicKey: Uint8Array): boolean;
}
