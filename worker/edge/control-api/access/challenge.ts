// Challenges for passkeys: nothing is stored of them; each says itself for what it is, when it was made, and by a tag that it is ours.
import { limits } from "../../../../shared/base/limits.ts";
import type { Secret } from "../../../../shared/base/secret.ts";
import { isTag, randomText, tag } from "../../mac.ts";

/** For what it is: to sign in, or to make a passkey of a person, who may be one that comes by an invitation. */
export interface Challenged {
  readonly purpose: "sign-in" | "passkey" | "join";
  /** The id of the person whose passkey it will be; empty where one signs in. */
  readonly personId: string;
}

const tagLength = 32;
const shape = /^([a-z-]{1,10})\.([A-Za-z0-9]{0,40})\.([0-9a-z]{1,11})\.([a-z2-7]{26})\.([a-z2-7]{32})$/;

/** As the bytes that an authenticator signs. */
export async function newChallenge(
  secret: Secret,
  { purpose, personId }: Challenged,
  nowMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const said = `${purpose}.${personId}.${nowMs.toString(36)}.${randomText(26)}`;
  const text = `${said}.${await tag(secret, "passkey", said, tagLength)}`;
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** What a challenge is for and when it was made; nothing where it is none of ours, or too old. `text`: in base64url, as browsers send it. */
export async function readChallenge(
  secret: Secret,
  text: string,
  nowMs: number,
): Promise<(Challenged & { readonly madeAtMs: number }) | undefined> {
  const [, purpose = "", personId = "", made = "", random = "", given = ""] = shape.exec(decoded(text)) ?? [];
  if (given === "") return undefined;
  const isOurs = await isTag(secret, "passkey", `${purpose}.${personId}.${made}.${random}`, given, tagLength);
  const madeAtMs = Number.parseInt(made, 36);
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
