// Private keys of others than the cluster: made and used by who can, and handed in.

/** On P-256. */
export interface PrivateKey {
  /** PKCS#8, as PEM. */
  readonly pem: string;
  /** DER of its SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly keyId: Uint8Array;
  /** ECDSA with SHA-256, as DER. */
  sign(data: Uint8Array): Uint8Array;
}

export interface Keys {
  make(): PrivateKey;
  /** Undefined where the text is no key of the kind that is made here. */
  read(pem: string): PrivateKey | undefined;
}
