// The control API of embedded frames: `/v1/embed`, and the oEmbed response about such a frame. Its credentials are signed by the service
// and are sent only in bodies, so that no URL and no log contains them.
import * as z from "zod";
import { embedLimits } from "../../base/embed-limits.ts";
import { limits } from "../../base/limits.ts";
import { run } from "../lesson.ts";
import { name } from "../sandbox-fields.ts";
import { templateRef } from "./publishable-key.ts";

/** A text that the service has signed. */
const signed = z.string().max(embedLimits.embedSignedCharacters);

/** Body of `POST /v1/embed/sessions`. */
export const createEmbedSession = z
  .strictObject({
    /** The ticket of the frame's page, or of the previous response. If it has expired, the visitor's token replaces it. */
    ticket: signed,
    /** The visitor's token of an earlier response. An expired one, or one of another key, is ignored. */
    visitor: signed.optional(),
    /** The template; exactly one of `template` and `lesson` is required. */
    template: templateRef.optional(),
    lesson: name.optional(),
    /** The id of the sandbox that the frame shows already. If it is gone, the response is 410 and no other is created. */
    sandbox: z.string().max(limits.idCharacters).optional(),
    /** True for a read-only token. */
    readOnly: z.boolean().default(false),
  })
  .refine(({ template, lesson }) => (template === undefined) !== (lesson === undefined), {
    path: ["template"],
    message: "give either a template or a lesson",
  });

export type CreateEmbedSession = z.input<typeof createEmbedSession>;

/** Response with status 201: the visitor's new or existing sandbox. */
export const embedSession = z.object({
  /** The ticket for the next `POST /v1/embed/sessions` within an hour. */
  ticket: z.string(),
  /** The visitor's token for the next visit within 30 days. */
  visitor: z.string(),
  /** The session for control API requests about the sandbox within an hour. */
  session: z.string(),
  /** True if the sandbox was created by this request. */
  isNew: z.boolean(),
  sandbox: z.object({ id: z.string(), expiresAt: z.iso.datetime() }),
  /** The token of the sandbox's Kubernetes API: see `tokenExpiresAt`. */
  token: z.string(),
  tokenExpiresAt: z.iso.datetime(),
  user: z.string(),
  readOnly: z.boolean(),
  /** The run of a lesson. */
  run: run.optional(),
});

export type EmbedSession = z.infer<typeof embedSession>;

/** Bodies of requests in a session. */
export const inSession = z.strictObject({ session: signed });
export const answerInSession = inSession.extend({ answer: z.string().max(limits.lessonAnswerCharacters) });

/** Response of `POST /v1/embed/reset`. In a lesson, the step restarts and `run` is the learner's run. */
export const embedReset = z.object({ run: run.optional() });

export type EmbedReset = z.infer<typeof embedReset>;

/** Query of `GET /v1/oembed` as in oembed.com. Additional parameters of sites are ignored. */
export const oembedQuery = z.object({
  url: z.string().max(embedLimits.embedUrlCharacters).describe("The address of a frame: `/embed/pk_...?template=web`."),
  maxwidth: z.coerce.number().int().min(1).optional(),
  maxheight: z.coerce.number().int().min(1).optional(),
  format: z.string().max(20).default("json"),
});

export const oembed = z.object({
  version: z.literal("1.0"),
  type: z.literal("rich"),
  provider_name: z.string(),
  provider_url: z.url(),
  title: z.string(),
  html: z.string(),
  width: z.int(),
  height: z.int(),
  cache_age: z.int(),
});

export type Oembed = z.infer<typeof oembed>;
