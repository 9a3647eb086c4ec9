// The control API's view tokens: `POST /v1/sandboxes/{id}/tokens`.
import { z } from "zod";
import { limits } from "../base/limits.ts";

const origin = /^https?:\/\/([a-z0-9]([-a-z0-9.]*[a-z0-9])?|\[[0-9a-f:]+\])(:[0-9]{1,5})?$/;

/** Body; every field, and the body itself, may be left out. */
export const createToken = z.strictObject({
  /** The token dies with the sandbox, whatever this says. */
  ttlSeconds: z.int().min(limits.tokenTtlSecondsMin).max(limits.sandboxTtlSecondsMax).default(limits.sandboxTtlSeconds),
  /** Origins whose pages may show the live view in a frame: `https://course.example.org`. */
  frameOrigins: z
    .array(z.string().max(255).regex(origin, "must be an origin such as https://course.example.org, in lower case"))
    .max(limits.tokenFrameOrigins)
    .default([]),
});

export type CreateToken = z.input<typeof createToken>;

/** Answer (201). The token is shown this once. */
export const viewToken = z.object({
  /** May get, list and watch everything but Secrets. */
  token: z.string(),
  readOnly: z.literal(true),
  expiresAt: z.iso.datetime(),
  frameOrigins: z.array(z.string()),
  /** The page of the live view: `/view/{id}?frame=…#{token}`. The token is in the fragment, so no server's log holds it. */
  url: z.url(),
});

export type ViewToken = z.infer<typeof viewToken>;
