// What frames in others' pages show to be let in: JSON Web Tokens that this service signs for itself, each for one purpose and a time.
import { jwtVerify, SignJWT } from "jose";
import { JOSEError } from "jose/errors";
import { z } from "zod";
import { currentSecret, type Secret, secretValues } from "../../../../shared/base/secret.ts";
import { tag } from "../../mac.ts";

const algorithm = "HS256";
const encoder = new TextEncoder();

/** What each says. `ticket`: a page of an origin shows a key's frame; `visitor`: who is there; `session`: in which sandbox. */
const shapes = {
  ticket: z.object({ key: z.string(), origin: z.string() }),
  visitor: z.object({ key: z.string(), origin: z.string(), visitor: z.string() }),
  session: z.object({ key: z.string(), origin: z.string(), sandbox: z.string(), run: z.string() }),
};

export type Purpose = keyof typeof shapes;
export type Said<P extends Purpose> = z.output<(typeof shapes)[P]>;

/** Good until `nowMs + forMs`, to the second. */
export async function sign<P extends Purpose>(
  secret: Secret,
  purpose: P,
  said: Said<P>,
  { nowMs, forMs }: { readonly nowMs: number; readonly forMs: number },
): Promise<string> {
  return new SignJWT({ ...said })
    .setProtectedHeader({ alg: algorithm })
    .setAudience(purpose)
    .setExpirationTime(Math.floor((nowMs + forMs) / 1000))
    .sign(await keyOf(currentSecret(secret)));
}

/** Nothing for what this service has not signed for this purpose, or what has expired. */
export async function read<P extends Purpose>(
  secret: Secret,
  purpose: P,
  text: string,
  nowMs: number,
): Promise<Said<P> | undefined> {
  const how = { audience: purpose, algorithms: [algorithm], currentDate: new Date(nowMs), requiredClaims: ["exp"] };
  for (const value of secretValues(secret)) {
    try {
      const { payload } = await jwtVerify(text, await keyOf(value), how);
      // The shape of the purpose, which the type of a union of them does not say.
      return shapes[purpose].parse(payload) as Said<P>;
    } catch (error) {
      if (!(error instanceof JOSEError)) throw error;
    }
  }
  return undefined;
}

/** Of its own: nothing else that the service signs has its form. */
async function keyOf(secret: string): Promise<Uint8Array> {
  return encoder.encode(await tag(secret, "embed", "key", 51));
}
