// The control API's webhooks: `/v1/webhooks`, and the sent events. Headers and signatures follow Standard Webhooks.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { eventPhases } from "./sandbox-phase.ts";
import { nextCursor } from "./list.ts";

/** The events of a lesson's run. */
export const lessonEventTypes = ["lesson.started", "lesson.step_passed", "lesson.finished"] as const;

export type LessonEventType = (typeof lessonEventTypes)[number];

/** The events of a sandbox and of a lesson. */
export const eventTypes = [
  "sandbox.created",
  "sandbox.ready",
  "sandbox.changed",
  "sandbox.expiring_soon",
  "sandbox.expired",
  "sandbox.deleted",
  "sandbox.limit_reached",
  "sandbox.token_rotated",
  ...lessonEventTypes,
] as const;

export type EventType = (typeof eventTypes)[number];

const url = z
  .string()
  .max(limits.webhookUrlCharacters)
  .regex(/^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/, "must be an https address without a user name");

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

/** Response of `POST /v1/webhooks`, `GET /v1/webhooks/{webhook}` and `POST /v1/webhooks/{webhook}/rotate`. */
export const webhookWithSecret = webhook.extend({
  /** The key of the signatures: `whsec_` with base64. */
  secret: z.string(),
  /** The time until which messages are signed with the secret before, too. Absent if there is none. */
  previousSecretUntil: z.iso.datetime().optional(),
});

export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

export const webhookList = z.object({ webhooks: z.array(webhook), nextCursor });

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
export const deliveryList = z.object({ deliveries: z.array(delivery), nextCursor });

export type DeliveryList = z.infer<typeof deliveryList>;

/** Response of `POST /v1/webhooks/{webhook}/test`, and of a redelivery. */
export const testDelivery = z.object({ delivery: z.string() });

export type TestDelivery = z.infer<typeof testDelivery>;

/** The learner's progress at the time of an event, as in a result of the lesson. */
const lessonProgress = z.object({
  name: z.string(),
  version: z.int(),
  run: z.string(),
  learner: z.string(),
  /** The passed step, or the learner's current step for other events. Starts with 1. */
  step: z.int(),
  points: z.number(),
  maxPoints: z.number(),
  /** The sandbox's id. */
  sandbox: z.string(),
});

export type LessonProgress = Readonly<z.infer<typeof lessonProgress>>;

/** An event: the body of a delivery, and the data of an entry of `GET /v1/events`. */
export const webhookEvent = z.object({
  type: z.enum([...eventTypes, "test"]),
  /** The time of the event. */
  timestamp: z.iso.datetime(),
  data: z.object({
    sandbox: z
      .object({ id: z.string(), name: z.string(), expiresAt: z.iso.datetime(), phase: z.enum(eventPhases) })
      .optional(),
    /** The limit's name, as in plans. */
    limit: z.string().optional(),
    lesson: lessonProgress.optional(),
  }),
});

export type WebhookEvent = z.infer<typeof webhookEvent>;

const someTypes = z.preprocess(
  (value) => (typeof value === "string" ? [value] : value),
  z.array(z.enum(eventTypes)).max(eventTypes.length),
);

/** Query of `GET /v1/events`. */
export const eventsQuery = z.strictObject({
  type: someTypes.optional().describe("Only events of this type; it may stand several times. Absent: all types."),
  sandbox: z.string().max(limits.idCharacters).optional().describe("Only events of the sandbox of this id."),
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      "The id of the last event that the client has, as `Last-Event-ID`; 0 for everything that is recorded. Absent: only what happens from now on.",
    ),
});

export type EventsQuery = z.output<typeof eventsQuery>;
