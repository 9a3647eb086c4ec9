// The control API's keys: `/v1/keys`.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { scope } from "./hosted/scope-schema.ts";
import { title } from "./title.ts";
import { nextCursor } from "./hosted/list.ts";

/** Body of `POST /v1/keys`. */
export const createKey = z.strictObject({
  /** The purpose for people. */
  name: title,
  /** The scopes, limited to those of the caller. */
  scopes: z.array(scope).min(1).max(limits.keyScopes),
  /** The lifetime. Absent for none. */
  ttlSeconds: z.int().min(1).max(limits.keyTtlSecondsMax).optional(),
});

export type CreateKey = z.input<typeof createKey>;

export const key = z.object({
  /** The id for `DELETE /v1/keys/{key}`. */
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  /** The expiry. Absent for never. */
  expiresAt: z.iso.datetime().optional(),
  /** The last use, rounded to the hour. Absent if never used. */
  lastUsedAt: z.iso.datetime().optional(),
  /**
   * The id of the person who created the key; the key ends with that person's membership. Absent for keys of the operator, and keys created
   * with such a key.
   */
  madeBy: z.string().optional(),
});

export type Key = z.infer<typeof key>;

/** Response of `POST` with status 201. The key is returned only once. */
export const keyWithSecret = key.extend({ key: z.string() });

export type KeyWithSecret = z.infer<typeof keyWithSecret>;

/** Response of `GET`: all keys that have not expired, the newest first. */
export const keyList = z.object({ keys: z.array(key), nextCursor });

export type KeyList = z.infer<typeof keyList>;
