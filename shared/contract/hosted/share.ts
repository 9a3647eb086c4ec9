// The control API's shared states: a link that gives everybody a fork of a sandbox as it is now.
import * as z from "zod";
import { classLimits, sharedStateLimits } from "../../base/lesson-limits.ts";
import { title } from "../title.ts";
import { ownAccess } from "../lesson.ts";
import { nextCursor } from "./list.ts";

/** Body of `POST /v1/sandboxes/{id}/shares`. */
export const createShare = z.strictObject({
  /** The title for people: `Why does this pod not start?`. */
  title,
  /** The maximum number of forks. */
  forks: z.int().min(1).max(sharedStateLimits.forks).default(sharedStateLimits.forksDefault),
  /** The time in which the link gives forks. */
  ttlSeconds: z
    .int()
    .min(classLimits.ttlSecondsMin)
    .max(sharedStateLimits.ttlSecondsMax)
    .default(classLimits.ttlSecondsDefault),
  /** The lifetime of a fork. */
  forkTtlSeconds: z
    .int()
    .min(sharedStateLimits.forkSecondsMin)
    .max(sharedStateLimits.forkSecondsMax)
    .default(sharedStateLimits.forkSecondsDefault),
});

export type CreateShare = z.input<typeof createShare>;

export const share = z.object({
  id: z.string(),
  title: z.string(),
  forks: z.int(),
  /** The number of forks so far. */
  used: z.int(),
  forkTtlSeconds: z.int(),
  /** The link, with the token in its fragment. Its holder gets a fork. */
  url: z.url(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type Share = z.infer<typeof share>;

/** Response of `GET /v1/shares`, the newest first. */
export const shareList = z.object({ shares: z.array(share), nextCursor });

export type ShareList = z.infer<typeof shareList>;

/** Body of `POST /v1/shares/look` and `POST /v1/shares/open`: the token of the link, `sbh_...`. */
export const ofShare = z.strictObject({ share: z.string().max(classLimits.tokenCharacters) });

/** The description of a shared state for a person with the link. */
export const shareLook = z.object({
  title: z.string(),
  forksLeft: z.int(),
  forkTtlSeconds: z.int(),
  expiresAt: z.iso.datetime(),
});

export type ShareLook = z.infer<typeof shareLook>;

/** A fork with its credentials. */
export const openedShare = ownAccess.extend({ expiresAt: z.iso.datetime() });

export type OpenedShare = z.infer<typeof openedShare>;
