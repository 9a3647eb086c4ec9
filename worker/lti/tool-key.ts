// The keys by which the tool signs: RSA, as LTI asks for. The private half is kept enciphered under the service's secret.
import { createHmac } from "node:crypto";
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { ltiLimits } from "../../shared/base/lti-limits.ts";

const algorithm = "RS256";

export interface ToolKey {
  readonly kid: string;
  /** The private half as a JWE; only this service opens it. */
  readonly sealed: string;
}

export async function newToolKey(secret: string): Promise<ToolKey & { readonly publicJwk: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = crypto.randomUUID();
  const text = new TextEncoder().encode(JSON.stringify(await exportJWK(privateKey)));
  const header = { alg: "dir", enc: "A256GCM", kid };
  const sealed = await new CompactEncrypt(text).setProtectedHeader(header).encrypt(sealingKey(secret));
  return { kid, sealed, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" } };
}

/** A JWT with these claims, good for as long as what the tool signs is. */
export async function signed(
  secret: string,
  { kid, sealed }: ToolKey,
  payload: Readonly<Record<string, unknown>>,
  nowMs: number,
): Promise<string> {
  const { plaintext } = await compactDecrypt(sealed, sealingKey(secret));
  // As `newToolKey` wrote it.
  const key = await importJWK(JSON.parse(new TextDecoder().decode(plaintext)) as JWK, algorithm);
  const seconds = Math.floor(nowMs / 1000);
  return new SignJWT({ ...payload })
    .setProtectedHeader({ alg: algorithm, kid, typ: "JWT" })
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ltiLimits.signedSeconds)
    .sign(key);
}

function sealingKey(secret: string): Uint8Array {
  return new Uint8Array(createHmac("sha256", secret).update("lti:key").digest());
}
