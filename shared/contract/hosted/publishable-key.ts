// The control API's publishable keys: `/v1/publishable-keys`. One may stand in a page for everybody to read: by it each visitor of that page
// gets a sandbox of a template or a run of a lesson, within its limits, and nothing else can be done with it.
import { z } from "zod";
import { embedLimits } from "../../base/embed-limits.ts";
import { limits } from "../../base/limits.ts";
import { origin } from "../origin.ts";
import { name } from "../sandbox.ts";
import { title } from "../title.ts";

/** `name`, which is the newest version, or `name@version`. */
export const templateRef = z
  .string()
  .regex(/^[a-z0-9][-a-z0-9]{0,62}(@[0-9]{1,9})?$/, "must be the name of a template, such as web or web@3");

const bound = (most: number, usual: number) => z.int().min(1).max(most).default(usual);

/** What is counted of one key. */
const keyLimits = z.strictObject({
  /** Sandboxes that one visitor has at once. */
  perVisitor: bound(embedLimits.publishablePerVisitorMax, embedLimits.publishablePerVisitor),
  /** Sandboxes of the key that are there at once. */
  atOnce: bound(limits.tenantSandboxes, embedLimits.publishableAtOnce),
  /** Sandboxes of the key that are made within any hour. */
  perHour: bound(limits.tenantSandboxes, embedLimits.publishablePerHour),
  /** Those of them that are made from one network address. */
  perAddress: bound(limits.tenantSandboxes, embedLimits.publishablePerAddress),
});

export type PublishableKeyLimits = z.output<typeof keyLimits>;

/** Body of `POST /v1/publishable-keys`. */
export const createPublishableKey = z
  .strictObject({
    /** What it is for, for people. */
    name: title,
    /** The origins of the pages that it may stand in. */
    origins: z.array(origin).min(1).max(embedLimits.publishableOrigins),
    /** What visitors may have sandboxes of. A name without a version stands for all of its versions. */
    templates: z.array(templateRef).max(embedLimits.publishableOffers).default([]),
    /** Which lessons they may do. */
    lessons: z.array(name).max(embedLimits.publishableOffers).default([]),
    /** How long the sandbox of a template lives; that of a lesson has the lesson's time. */
    ttlSeconds: z
      .int()
      .min(limits.sandboxTtlSecondsMin)
      .max(limits.sandboxTtlSecondsMax)
      .default(embedLimits.publishableTtlSeconds),
    limits: keyLimits.prefault({}),
  })
  .refine(({ templates, lessons }) => templates.length + lessons.length > 0, {
    path: ["templates"],
    message: "name a template or a lesson that visitors may have",
  });

export type CreatePublishableKey = z.input<typeof createPublishableKey>;

/** Answer of `POST` (201). */
export const publishableKey = z.object({
  /** `pk_...`: for pages, and for `DELETE /v1/publishable-keys/{publishableKey}`. */
  key: z.string(),
  name: z.string(),
  origins: z.array(z.string()),
  templates: z.array(z.string()),
  lessons: z.array(z.string()),
  ttlSeconds: z.int(),
  limits: z.object({ perVisitor: z.int(), atOnce: z.int(), perHour: z.int(), perAddress: z.int() }),
  createdAt: z.iso.datetime(),
});

export type PublishableKey = z.infer<typeof publishableKey>;

/** Answer of `GET`: the newest first. */
export const publishableKeyList = z.object({ publishableKeys: z.array(publishableKey) });

export type PublishableKeyList = z.infer<typeof publishableKeyList>;
