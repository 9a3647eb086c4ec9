// The control API's tokens of a sandbox: `/v1/sandboxes/{id}/tokens`. One without a user is for looking only.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { origin } from "./origin.ts";

/** Printable, as headers and logs carry it. */
const userName = z
  .string()
  .max(limits.userNameCharacters)
  .regex(/^[\x21-\x7e]+$/, "must consist of visible ASCII characters");

/** Body of `POST`; every field, and the body itself, may be left out. */
export const createToken = z
  .strictObject({
    /** The token dies with the sandbox, whatever this says. */
    ttlSeconds: z
      .int()
      .min(limits.tokenTtlSecondsMin)
      .max(limits.sandboxTtlSecondsMax)
      .default(limits.sandboxTtlSeconds),
    /** Whom the token stands for: the sandbox's roles say what they may do. Absent: a viewer. */
    user: userName.optional(),
    /** What the user belongs to, beside `system:authenticated`. */
    groups: z.array(userName).max(limits.tokenGroups).default([]),
    /** Origins whose pages may show the live view in a frame: `https://course.example.org`. */
    frameOrigins: z.array(origin).max(limits.tokenFrameOrigins).default([]),
  })
  .refine(({ user, groups }) => user !== undefined || groups.length === 0, {
    path: ["groups"],
    message: "only a user has groups",
  })
  .refine(({ user, frameOrigins }) => user === undefined || frameOrigins.length === 0, {
    path: ["frameOrigins"],
    message: "only a viewer's token has a live view",
  });

export type CreateToken = z.input<typeof createToken>;

/** One of `GET`'s answer; the token itself is never told again. */
export const tokenInfo = z.object({
  /** For `DELETE /v1/sandboxes/{id}/tokens/{token id}`. */
  id: z.string(),
  user: z.string(),
  groups: z.array(z.string()),
  /** May get, list and watch everything but Secrets. */
  readOnly: z.boolean(),
  expiresAt: z.iso.datetime(),
  frameOrigins: z.array(z.string()),
});

export type TokenInfo = z.infer<typeof tokenInfo>;

/** Answer of `GET`: what has not expired, the administrator's token aside. */
export const tokenList = z.object({ tokens: z.array(tokenInfo) });

export type TokenList = z.infer<typeof tokenList>;

/** Answer of `POST` (201) for a user; as `application/yaml` it is a kubeconfig instead. The token is shown this once. */
export const userToken = tokenInfo.omit({ frameOrigins: true }).extend({
  token: z.string(),
  readOnly: z.literal(false),
});

export type UserToken = z.infer<typeof userToken>;

/** Answer of `POST` (201) for a viewer. The token is shown this once. */
export const viewToken = z.object({
  id: z.string(),
  /** May get, list and watch everything but Secrets. */
  token: z.string(),
  readOnly: z.literal(true),
  expiresAt: z.iso.datetime(),
  frameOrigins: z.array(z.string()),
  /** The page of the live view: `/view/{id}?frame=…#{token}`. The token is in the fragment, so no server's log holds it. */
  url: z.url(),
});

export type ViewToken = z.infer<typeof viewToken>;
