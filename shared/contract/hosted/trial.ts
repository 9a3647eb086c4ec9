// The control API's trial: a small sandbox for an hour, for who has no key and does some work first.
import { z } from "zod";
import { limits } from "../../base/limits.ts";

/** Answer of `GET /v1/trial`. */
export const challenge = z.object({
  /** To be sent back as it is. */
  challenge: z.string(),
  /** Bits that must be zero at the beginning of SHA-256 of `<challenge>.<answer>`. */
  difficulty: z.int(),
  expiresAt: z.iso.datetime(),
});

export type Challenge = z.infer<typeof challenge>;

/** Body of `POST /v1/trial`. */
export const createTrial = z.strictObject({
  challenge: z.string().max(limits.templateTextCharacters),
  /** Anything that makes the hash begin so. */
  answer: z.string().max(100),
  template: z
    .string()
    .max(limits.sandboxNameCharacters + 11)
    .optional()
    .describe("One that is built in."),
});

export type CreateTrial = z.infer<typeof createTrial>;
