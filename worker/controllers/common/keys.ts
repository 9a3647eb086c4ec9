// The interface for private keys of simulated components. The cluster's platform provides the implementation.

/** A private key on P-256. */
export interface PrivateKey {
  /** The key as PKCS#8 in PEM. */
  readonly pem: string;
  /** The SubjectPublicKeyInfo as DER. */
  readonly publicKey: Uint8Array;
  readonly keyId: Uint8Array;
  /** Signs data with ECDSA and SHA-256. Returns DER. */
  sign(data: Uint8Array): Uint8Array;
}

export interface Keys {
  make(): PrivateKey;
  /** Reads a key. Returns undefined for texts that are not keys of this kind. */
  read(pem: string): PrivateKey | undefined;
}
