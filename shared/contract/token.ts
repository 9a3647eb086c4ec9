// The control API's tokens of a sandbox: `/v1/sandboxes/{id}/tokens`. A token without a user is read-only.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { origin } from "./origin.ts";
import { nextCursor } from "./hosted/list.ts";

/** A user name of printable characters, as headers and logs require. */
const userName = z
  .string()
  .max(limits.userNameCharacters)
  .regex(/^[\x21-\x7e]+$/, "must consist of visible ASCII characters");

/** Optional body of `POST`. */
export const createToken = z
  .strictObject({
    /** The lifetime; the token ends with the sandbox at the latest. */
    ttlSeconds: z
      .int()
      .min(limits.tokenTtlSecondsMin)
      .max(limits.sandboxTtlSecondsMax)
      .default(limits.sandboxTtlSeconds),
    /** The user of the token, whose permissions the sandbox's roles define. Absent for a viewer. */
    user: userName.optional(),
    /** The groups of the user in addition to `system:authenticated`. */
    groups: z.array(userName).max(limits.tokenGroups).default([]),
    /** The origins whose pages can show the live view in a frame: `https://course.example.org`. */
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

/** A token in the response of `GET`, without the secret. */
export const tokenInfo = z.object({
  /** The id for `DELETE /v1/sandboxes/{id}/tokens/{token id}`. */
  id: z.string(),
  user: z.string(),
  groups: z.array(z.string()),
  /** True if the token can get, list and watch everything except Secrets. */
  readOnly: z.boolean(),
  expiresAt: z.iso.datetime(),
  frameOrigins: z.array(z.string()),
});

/** Response of `GET`: the tokens that have not expired, except the administrator's. */
export const tokenList = z.object({ tokens: z.array(tokenInfo), nextCursor });

export type TokenList = z.infer<typeof tokenList>;

/** Response of `POST` (201) for a user; as `application/yaml` it is a kubeconfig. The token is returned only once. */
export const userToken = tokenInfo.omit({ frameOrigins: true }).extend({
  token: z.string(),
  readOnly: z.literal(false),
});

export type UserToken = z.infer<typeof userToken>;

/** Response of `POST` (201) for a viewer. The token is returned only once. */
export const viewToken = z.object({
  id: z.string(),
  /** The token, which can get, list and watch everything except Secrets. */
  token: z.string(),
  readOnly: z.literal(true),
  expiresAt: z.iso.datetime(),
  frameOrigins: z.array(z.string()),
  /** The page of the live view: `/view/{id}?frame=…#{token}`. The token is in the fragment, so no server logs it. */
  url: z.url(),
});

export type ViewToken = z.infer<typeof viewToken>;
