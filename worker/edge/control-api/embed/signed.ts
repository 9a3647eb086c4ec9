// JSON Web Tokens for frames: in other sites' pages, and of previews in the console. The service signs them for itself; each has one purpose and an expiry.
import { jwtVerify, SignJWT } from "jose";
import { JOSEError } from "jose/errors";
import * as z from "zod";
import { currentSecret, type Secret, secretValues } from "../../../../shared/base/secret.ts";
import { tag } from "../../mac.ts";

const algorithm = "HS256";
const encoder = new TextEncoder();

/**
 * The claims by purpose. `ticket`: the key and the origin of the page; `visitor`: also the visitor; `session`: also the sandbox.
 * `preview`: the path of the API's proxy, and the version of the sandbox's token.
 */
const shapes = {
  ticket: z.object({ key: z.string(), origin: z.string() }),
  visitor: z.object({ key: z.string(), origin: z.string(), visitor: z.string() }),
  session: z.object({ key: z.string(), origin: z.string(), sandbox: z.string(), run: z.string() }),
  preview: z.object({ tenant: z.string(), sandbox: z.string(), path: z.string(), version: z.int() }),
};

export type Purpose = keyof typeof shapes;
export type Claims<P extends Purpose> = z.output<(typeof shapes)[P]>;

/** Signs claims that are valid until `nowMs + forMs`, rounded to seconds. */
export async function sign<P extends Purpose>(
  secret: Secret,
  purpose: P,
  claims: Claims<P>,
  { nowMs, forMs }: { readonly nowMs: number; readonly forMs: number },
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm })
    .setAudience(purpose)
    .setExpirationTime(Math.floor((nowMs + forMs) / 1000))
    .sign(await keyOf(currentSecret(secret)));
}

/** Returns undefined if the token was not signed for this purpose, or has expired. */
export async function read<P extends Purpose>(
  secret: Secret,
  purpose: P,
  text: string,
  nowMs: number,
): Promise<Claims<P> | undefined> {
  const how = { audience: purpose, algorithms: [algorithm], currentDate: new Date(nowMs), requiredClaims: ["exp"] };
  for (const value of secretValues(secret)) {
    try {
      const { payload } = await jwtVerify(text, await keyOf(value), how);
      // The schema belongs to the purpose; TypeScript cannot infer that from the union.
      return shapes[purpose].parse(payload) as Claims<P>;
    } catch (error) {
      if (!(error instanceof JOSEError)) throw error;
    }
  }
  return undefined;
}

/** Derives the signing key of these tokens, which signs nothing else. */
async function keyOf(secret: string): Promise<Uint8Array> {
  return encoder.encode(await tag(secret, "embed", "key", 51));
}
