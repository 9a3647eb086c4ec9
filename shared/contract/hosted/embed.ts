// What the frame that stands in somebody's page asks of the control API: `/v1/embed`, and the oEmbed answer about such a frame. What it shows
// to be let in is signed by the service and travels in bodies alone, so that no address and no log holds it.
import { z } from "zod";
import { embedLimits } from "../../base/embed-limits.ts";
import { limits } from "../../base/limits.ts";
import { run } from "../lesson.ts";
import { name } from "../sandbox.ts";
import { templateRef } from "./publishable-key.ts";

/** A text that the service has signed. */
const signed = z.string().max(embedLimits.embedSignedCharacters);

/** Body of `POST /v1/embed/sessions`. */
export const createEmbedSession = z
  .strictObject({
    /** From the frame's page, or from the last answer. In place of one that has expired the visitor counts. */
    ticket: signed,
    /** Who was here before: from an earlier answer. One that has expired, or is another key's, counts as none. */
    visitor: signed.optional(),
    /** One of both. */
    template: templateRef.optional(),
    lesson: name.optional(),
    /** The id of the sandbox that is shown already: where that is gone it is 410, and no other is made. */
    sandbox: z.string().max(limits.idCharacters).optional(),
    /** The token is for looking only. */
    readOnly: z.boolean().default(false),
  })
  .refine(({ template, lesson }) => (template === undefined) !== (lesson === undefined), {
    path: ["template"],
    message: "give either a template or a lesson",
  });

export type CreateEmbedSession = z.input<typeof createEmbedSession>;

/** Answer of it (201): the visitor's sandbox, made now or before. */
export const embedSession = z.object({
  /** For the next `POST /v1/embed/sessions`, within the hour. */
  ticket: z.string(),
  /** For the next visit, within 30 days. */
  visitor: z.string(),
  /** For what is done in the sandbox over the control API, within the hour. */
  session: z.string(),
  /** It was made just now. */
  isNew: z.boolean(),
  sandbox: z.object({ id: z.string(), expiresAt: z.iso.datetime() }),
  /** For the sandbox's Kubernetes API: see `tokenExpiresAt`. */
  token: z.string(),
  tokenExpiresAt: z.iso.datetime(),
  user: z.string(),
  readOnly: z.boolean(),
  /** Of a lesson. */
  run: run.optional(),
});

export type EmbedSession = z.infer<typeof embedSession>;

/** Bodies of what is done in a session. */
export const inSession = z.strictObject({ session: signed });
export const answerInSession = inSession.extend({ answer: z.string().max(limits.lessonAnswerCharacters) });

/** Answer of `POST /v1/embed/reset`. Of a lesson the step is begun again, and `run` says where the learner is. */
export const embedReset = z.object({ run: run.optional() });

export type EmbedReset = z.infer<typeof embedReset>;

/** Query of `GET /v1/oembed`, as oembed.com has it; sites send more with it, which is not looked at. */
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
