// The control API's webhooks: `/v1/webhooks`, and what is sent to them. Headers and signatures are those of Standard Webhooks.
import { z } from "zod";
import { limits } from "../../base/limits.ts";

/** What is told of a learner's run of a lesson. */
export const lessonEventTypes = ["lesson.started", "lesson.step_passed", "lesson.finished"] as const;

export type LessonEventType = (typeof lessonEventTypes)[number];

/** What is told of a sandbox, and of a lesson. */
export const eventTypes = [
  "sandbox.created",
  "sandbox.ready",
  "sandbox.expiring_soon",
  "sandbox.expired",
  "sandbox.limit_reached",
  "sandbox.token_rotated",
  ...lessonEventTypes,
] as const;

export type EventType = (typeof eventTypes)[number];

const url = z
  .string()
  .max(limits.webhookUrlCharacters)
  .regex(/^https:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/, "must be an https address without a user name");

const events = z.array(z.enum(eventTypes)).min(1).max(eventTypes.length);

/** Body of `POST /v1/webhooks`. */
export const newWebhook = z.strictObject({
  url,
  /** Absent: all there are. */
  events: events.default([...eventTypes]),
});

export type NewWebhook = z.output<typeof newWebhook>;
export type CreateWebhook = z.input<typeof newWebhook>;

/** Body of `PATCH /v1/webhooks/{webhook}`: what is to be different. */
export const patchWebhook = z.strictObject({
  url: url.optional(),
  events: events.optional(),
  /** False: nothing is sent to it any more. */
  enabled: z.boolean().optional(),
});

export type PatchWebhook = z.output<typeof patchWebhook>;

export const webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(eventTypes)),
  enabled: z.boolean(),
  createdAt: z.iso.datetime(),
});

export type Webhook = z.infer<typeof webhook>;

/** Answer of `POST /v1/webhooks` and `GET /v1/webhooks/{webhook}`. */
export const webhookWithSecret = webhook.extend({
  /** `whsec_` and the key of the signatures in base64. */
  secret: z.string(),
});

export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

export const webhookList = z.object({ webhooks: z.array(webhook) });

export type WebhookList = z.infer<typeof webhookList>;

/** One event on its way to one address. */
export const delivery = z.object({
  /** The header `webhook-id`: the same at every attempt. */
  id: z.string(),
  type: z.string(),
  /** `waiting`: it is tried (again) at `nextAttemptAt`; `failed`: it was tried as often as it may be, or it was one too many. */
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.int(),
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  /** Of the last answer; absent where there was none. */
  status: z.int().optional(),
  /** Why the last attempt failed. */
  error: z.string().optional(),
});

export type Delivery = z.infer<typeof delivery>;

/** Answer of `GET /v1/webhooks/{webhook}/deliveries`: the newest first. */
export const deliveryList = z.object({ deliveries: z.array(delivery) });

export type DeliveryList = z.infer<typeof deliveryList>;

/** Answer of `POST /v1/webhooks/{webhook}/test`. */
export const testDelivery = z.object({ delivery: z.string() });

export type TestDelivery = z.infer<typeof testDelivery>;

/** The body that is sent. */
export interface WebhookEvent {
  readonly type: EventType | "test";
  /** When it happened. */
  readonly timestamp: string;
  readonly data: {
    readonly sandbox?: { readonly id: string; readonly name: string; readonly expiresAt: string };
    /** The limit's name, as in plans. */
    readonly limit?: string;
    readonly lesson?: LessonProgress;
  };
}

/** Where a learner was when an event happened: as a result of the lesson says it. */
export interface LessonProgress {
  readonly name: string;
  readonly version: number;
  readonly run: string;
  readonly learner: string;
  /** The step that was passed; of the other events the one that the learner is at. Beginning with 1. */
  readonly step: number;
  readonly points: number;
  readonly maxPoints: number;
  /** The sandbox's id. */
  readonly sandbox: string;
}
