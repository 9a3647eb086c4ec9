// The control API's keys: `/v1/keys`.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { scope } from "./hosted/scope-schema.ts";
import { title } from "./title.ts";

/** Body of `POST /v1/keys`. */
export const createKey = z.strictObject({
  /** What it is for, for people. */
  name: title,
  /** What it may do; none that whoever makes it has not. */
  scopes: z.array(scope).min(1).max(limits.keyScopes),
  /** Absent: it does not expire. */
  ttlSeconds: z.int().min(1).max(limits.keyTtlSecondsMax).optional(),
});

export type CreateKey = z.input<typeof createKey>;

export const key = z.object({
  /** For `DELETE /v1/keys/{key}`. */
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  /** Absent: never. */
  expiresAt: z.iso.datetime().optional(),
  /** To the hour; absent: never used. */
  lastUsedAt: z.iso.datetime().optional(),
  /** The id of the person who made it; the key ends with that one's membership. Absent: it was made by the operator, or with a key that was. */
  madeBy: z.string().optional(),
});

export type Key = z.infer<typeof key>;

/** Answer of `POST` (201). The key itself is shown this once. */
export const keyWithSecret = key.extend({ key: z.string() });

export type KeyWithSecret = z.infer<typeof keyWithSecret>;

/** Answer of `GET`: all that have not expired, the newest first. */
export const keyList = z.object({ keys: z.array(key) });

export type KeyList = z.infer<typeof keyList>;
