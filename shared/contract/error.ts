// The control API's errors: what `/v1` answers with a status of 400 or more.
import { z } from "zod";

export const errorBody = z.object({
  error: z.object({
    /** For programs: `invalid_field`, `malformed_json`, `unauthorized`, `not_found`, `expired`, ... */
    code: z.string(),
    /** For people. */
    message: z.string(),
    /** The field of the body, or the parameter, that is wrong: `ttlSeconds`, `frameOrigins.0`. */
    field: z.string().optional(),
  }),
});

export type ErrorBody = z.infer<typeof errorBody>;
