// The control API's trial: a small sandbox for an hour without a key, after a proof of work.
import * as z from "zod";
import { limits } from "../../base/limits.ts";

/** Response of `GET /v1/trial`. */
export const challenge = z.object({
  /** The challenge, which the client returns unchanged. */
  challenge: z.string(),
  /** The number of leading zero bits of SHA-256 of `<challenge>.<answer>`. */
  difficulty: z.int(),
  expiresAt: z.iso.datetime(),
});

export type Challenge = z.infer<typeof challenge>;

/** Body of `POST /v1/trial`. */
export const createTrial = z.strictObject({
  challenge: z.string().max(limits.templateTextCharacters),
  /** A text with which the hash has the required form. */
  answer: z.string().max(100),
  template: z
    .string()
    .max(limits.sandboxNameCharacters + 11)
    .optional()
    .describe("One that is built in."),
});

export type CreateTrial = z.infer<typeof createTrial>;
