// Challenges for passkeys. They are not stored: a challenge carries its purpose, its time of creation, and an HMAC of the service.
import { limits } from "../../../../shared/base/limits.ts";
import type { Secret } from "../../../../shared/base/secret.ts";
import { isTag, randomText, tag } from "../../mac.ts";

/** The purpose of a challenge: a sign-in, a further passkey, or the first passkey of a person who joins by invitation. */
export interface Challenged {
  readonly purpose: "sign-in" | "passkey" | "join";
  /** The id of the person who will own the passkey. Empty for a sign-in. */
  readonly personId: string;
}

const tagLength = 32;
const shape = /^([a-z-]{1,10})\.([A-Za-z0-9]{0,40})\.([0-9a-z]{1,11})\.([a-z2-7]{26})\.([a-z2-7]{32})$/;

/** Returns the bytes that the authenticator signs. */
export async function newChallenge(
  secret: Secret,
  { purpose, personId }: Challenged,
  nowMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const payload = `${purpose}.${personId}.${nowMs.toString(36)}.${randomText(26)}`;
  const text = `${payload}.${await tag(secret, "passkey", payload, tagLength)}`;
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * Returns the purpose and the time of a challenge. Returns undefined if the HMAC is invalid or the challenge is too old. `text` is
 * base64url, as browsers send it.
 */
export async function readChallenge(
  secret: Secret,
  text: string,
  nowMs: number,
): Promise<(Challenged & { readonly madeAtMs: number }) | undefined> {
  const [, purpose = "", personId = "", createdAt = "", random = "", mac = ""] = shape.exec(decoded(text)) ?? [];
  if (mac === "") return undefined;
  const isOurs = await isTag(secret, "passkey", `${purpose}.${personId}.${createdAt}.${random}`, mac, tagLength);
  const madeAtMs = Number.parseInt(createdAt, 36);
  if (!isOurs || madeAtMs > nowMs || madeAtMs + limits.signInMs <= nowMs) return undefined;
  if (purpose !== "sign-in" && purpose !== "passkey" && purpose !== "join") return undefined;
  return { purpose, personId, madeAtMs };
}

function decoded(base64url: string): string {
  try {
    return atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
