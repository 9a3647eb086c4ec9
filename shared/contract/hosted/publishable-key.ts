// The control API's publishable keys: `/v1/publishable-keys`. A key can be published in a page. With it, each visitor receives a sandbox of
// a template or a run of a lesson, within its limits, and nothing else.
import * as z from "zod";
import { embedLimits } from "../../base/embed-limits.ts";
import { limits } from "../../base/limits.ts";
import { origin } from "../origin.ts";
import { name } from "../sandbox-fields.ts";
import { title } from "../title.ts";
import { nextCursor } from "./list.ts";

/** A reference: `name` for the newest version, or `name@version`. */
export const templateRef = z
  .string()
  .regex(/^[a-z0-9][-a-z0-9]{0,62}(@[0-9]{1,9})?$/, "must be the name of a template, such as web or web@3");

const bound = (most: number, usual: number) => z.int().min(1).max(most).default(usual);

const keyLimits = z.strictObject({
  /** The number of live sandboxes of one visitor. */
  perVisitor: bound(embedLimits.publishablePerVisitorMax, embedLimits.publishablePerVisitor),
  /** The number of live sandboxes of the key. */
  atOnce: bound(limits.tenantSandboxes, embedLimits.publishableAtOnce),
  /** The number of sandboxes of the key that are created within any hour. */
  perHour: bound(limits.tenantSandboxes, embedLimits.publishablePerHour),
  /** The number of those that are created from one network address. */
  perAddress: bound(limits.tenantSandboxes, embedLimits.publishablePerAddress),
});

export type PublishableKeyLimits = z.output<typeof keyLimits>;

/** Body of `POST /v1/publishable-keys`. */
export const createPublishableKey = z
  .strictObject({
    /** The purpose for people. */
    name: title,
    /** The origins of the pages that can use it. */
    origins: z.array(origin).min(1).max(embedLimits.publishableOrigins),
    /** The templates for visitors. A name without a version allows all versions. */
    templates: z.array(templateRef).max(embedLimits.publishableOffers).default([]),
    /** The lessons for visitors. */
    lessons: z.array(name).max(embedLimits.publishableOffers).default([]),
    /** The lifetime of a template's sandbox. A lesson defines its own. */
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

/** Response of `POST` with status 201. */
export const publishableKey = z.object({
  /** The key `pk_...` for pages, and for `DELETE /v1/publishable-keys/{publishableKey}`. */
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

/** Response of `GET`, the newest first. */
export const publishableKeyList = z.object({ publishableKeys: z.array(publishableKey), nextCursor });

export type PublishableKeyList = z.infer<typeof publishableKeyList>;
