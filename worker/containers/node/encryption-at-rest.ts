// Encrypts values as the API server's providers do before they are stored in etcd (upstream: apiserver/pkg/storage/value/encrypt). The nonce is
// derived from the value, so that a stored value has the same bytes each time it is read.
import { createCipheriv, createHash } from "node:crypto";
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { secretbox, secretboxNonceBytes } from "./secretbox.ts";

/** The provider and the key that encrypt a value. */
export interface EncryptionKey {
  readonly provider: "aescbc" | "aesgcm" | "secretbox";
  readonly name: string;
  /** The key in base64. */
  readonly secret: string;
}

const nonceBytes = { aescbc: 16, aesgcm: 12, secretbox: secretboxNonceBytes };

/** Returns a value as etcd has it: the provider's prefix, the nonce and the ciphertext. `path`: the key of the value in etcd. */
export function encryptedAtRest(key: EncryptionKey, path: string, value: string): string {
  const plain = bytesOfText(value);
  const secret = bytesOfBase64(key.secret.replace(/[\r\n]/g, ""));
  const hash = createHash("sha256").update(secret).update(`${path}\n`).update(plain);
  const nonce = new Uint8Array(hash.digest()).slice(0, nonceBytes[key.provider]);
  const cipherText = encrypt(key.provider, secret, nonce, plain, path);
  const bytes = new Uint8Array(nonce.length + cipherText.length);
  bytes.set(nonce);
  bytes.set(cipherText, nonce.length);
  return prefixOf(key) + textOfBytes(bytes);
}

export function prefixOf({ provider, name }: EncryptionKey): string {
  return `k8s:enc:${provider}:v1:${name}:`;
}

function encrypt(
  provider: EncryptionKey["provider"],
  secret: Uint8Array,
  nonce: Uint8Array,
  plain: Uint8Array,
  path: string,
): Uint8Array {
  if (provider === "secretbox") return secretbox(secret, nonce, plain);
  const bits = secret.length * 8;
  if (provider === "aescbc") return joined(createCipheriv(`aes-${bits}-cbc`, secret, nonce), plain);
  // The configuration's check admits 128, 192 and 256 bits; any of them selects the type of GCM.
  const algorithm = `aes-${bits}-gcm` as "aes-256-gcm";
  const cipher = createCipheriv(algorithm, secret, nonce);
  cipher.setAAD(bytesOfText(path));
  const cipherText = joined(cipher, plain);
  return concatenated(cipherText, cipher.getAuthTag());
}

function joined(cipher: ReturnType<typeof createCipheriv>, plain: Uint8Array): Uint8Array {
  return concatenated(cipher.update(plain), cipher.final());
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
