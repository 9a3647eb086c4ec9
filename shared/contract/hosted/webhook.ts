// The control API's webhooks: `/v1/webhooks`, and the sent events. Headers and signatures follow Standard Webhooks.
import * as z from "zod";
import { limits } from "../../base/limits.ts";

/** The events of a lesson's run. */
export const lessonEventTypes = ["lesson.started", "lesson.step_passed", "lesson.finished"] as const;

export type LessonEventType = (typeof lessonEventTypes)[number];

/** The events of a sandbox and of a lesson. */
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
  /** The events. Absent for all. */
  events: events.default([...eventTypes]),
});

export type NewWebhook = z.output<typeof newWebhook>;
export type CreateWebhook = z.input<typeof newWebhook>;

/** Body of `PATCH /v1/webhooks/{webhook}`: the fields to change. */
export const patchWebhook = z.strictObject({
  url: url.optional(),
  events: events.optional(),
  /** The state; a disabled webhook receives nothing. */
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

/** Response of `POST /v1/webhooks` and `GET /v1/webhooks/{webhook}`. */
export const webhookWithSecret = webhook.extend({
  /** The key of the signatures: `whsec_` with base64. */
  secret: z.string(),
});

export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

export const webhookList = z.object({ webhooks: z.array(webhook) });

export type WebhookList = z.infer<typeof webhookList>;

/** The delivery of an event to a webhook. */
export const delivery = z.object({
  /** The header `webhook-id`, which is the same in every attempt. */
  id: z.string(),
  type: z.string(),
  /** The state. `waiting`: the next attempt is at `nextAttemptAt`; `failed`: the attempts are used up, or the queue was full. */
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.int(),
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  /** The status of the last response. Absent without one. */
  status: z.int().optional(),
  /** The reason why the last attempt failed. */
  error: z.string().optional(),
});

export type Delivery = z.infer<typeof delivery>;

/** Response of `GET /v1/webhooks/{webhook}/deliveries`, the newest first. */
export const deliveryList = z.object({ deliveries: z.array(delivery) });

export type DeliveryList = z.infer<typeof deliveryList>;

/** Response of `POST /v1/webhooks/{webhook}/test`. */
export const testDelivery = z.object({ delivery: z.string() });

export type TestDelivery = z.infer<typeof testDelivery>;

/** The body of a delivery. */
export interface WebhookEvent {
  readonly type: EventType | "test";
  /** The time of the event. */
  readonly timestamp: string;
  readonly data: {
    readonly sandbox?: { readonly id: string; readonly name: string; readonly expiresAt: string };
    /** The limit's name, as in plans. */
    readonly limit?: string;
    readonly lesson?: LessonProgress;
  };
}

/** The learner's progress at the time of an event, as in a result of the lesson. */
export interface LessonProgress {
  readonly name: string;
  readonly version: number;
  readonly run: string;
  readonly learner: string;
  /** The passed step, or the learner's current step for other events. Starts with 1. */
  readonly step: number;
  readonly points: number;
  readonly maxPoints: number;
  /** The sandbox's id. */
  readonly sandbox: string;
}
