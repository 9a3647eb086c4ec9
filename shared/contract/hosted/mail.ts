// The settings of e-mail: a request to a provider's HTTP API.
import * as z from "zod";
import { identityLimits } from "../../base/request-limits.ts";

/**
 * The value of `SANDBAR_MAIL` as JSON. Texts of `body` contain `{to}`, `{subject}`, `{text}`, `{url}`, `{organisation}`, `{inviter}` and
 * `{role}`; those of `headers` contain `{key}` as well.
 */
export const mailSettings = z
  .strictObject({
    url: z.url().max(identityLimits.urlCharacters),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.json(),
  })
  .refine(
    (settings) => JSON.stringify(settings).length <= identityLimits.mailTemplateCharacters,
    `must have at most ${identityLimits.mailTemplateCharacters} characters`,
  );

export type MailSettings = z.output<typeof mailSettings>;
