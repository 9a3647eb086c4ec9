// The signing keys of the tool: RSA, as LTI requires. The private key is encrypted with the service's secret.
import { createHmac } from "node:crypto";
import { currentSecret, type Secret, secretValues } from "../../shared/base/secret.ts";
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { ltiLimits } from "../../shared/base/lti-limits.ts";

const algorithm = "RS256";

export interface ToolKey {
  readonly kid: string;
  /** The private key as a JWE, which only this service can decrypt. */
  readonly sealed: string;
}

export async function newToolKey(secret: Secret): Promise<ToolKey & { readonly publicJwk: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = crypto.randomUUID();
  const text = new TextEncoder().encode(JSON.stringify(await exportJWK(privateKey)));
  const header = { alg: "dir", enc: "A256GCM", kid };
  const sealed = await new CompactEncrypt(text).setProtectedHeader(header).encrypt(sealingKey(currentSecret(secret)));
  return { kid, sealed, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" } };
}

/** Returns a JWT with these claims and the lifetime of the tool's tokens. */
export async function signClaims(
  secret: Secret,
  { kid, sealed }: ToolKey,
  payload: Readonly<Record<string, unknown>>,
  nowMs: number,
): Promise<string> {
  const plaintext = await unsealKey(secret, sealed);
  // `newToolKey` wrote the key.
  const key = await importJWK(JSON.parse(new TextDecoder().decode(plaintext)) as JWK, algorithm);
  const seconds = Math.floor(nowMs / 1000);
  return new SignJWT({ ...payload })
    .setProtectedHeader({ alg: algorithm, kid, typ: "JWT" })
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ltiLimits.signedSeconds)
    .sign(key);
}

/** Rejects if no value of the secret sealed the key. */
async function unsealKey(secret: Secret, sealed: string): Promise<Uint8Array> {
  const [current, ...earlier] = secretValues(secret);
  const openBy = async (value: string) => (await compactDecrypt(sealed, sealingKey(value))).plaintext;
  let plaintext = openBy(current);
  for (const value of earlier) plaintext = plaintext.catch(() => openBy(value));
  return plaintext;
}

/** Seals a key with the current secret. Returns undefined if it is sealed with it already. */
export async function resealKey(secret: Secret, { kid, sealed }: ToolKey): Promise<string | undefined> {
  const key = sealingKey(currentSecret(secret));
  const isCurrent = await compactDecrypt(sealed, key).then(
    () => true,
    () => false,
  );
  if (isCurrent) return undefined;
  const header = { alg: "dir", enc: "A256GCM", kid };
  return new CompactEncrypt(await unsealKey(secret, sealed)).setProtectedHeader(header).encrypt(key);
}

function sealingKey(secret: string): Uint8Array {
  return new Uint8Array(createHmac("sha256", secret).update("lti:key").digest());
}
