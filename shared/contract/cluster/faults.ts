// The control API's faults of a sandbox: `PUT`, `GET` and `DELETE /v1/sandboxes/{id}/faults`.
import * as z from "zod";
import { faultLimits } from "./fault-limits.ts";
import { limits } from "../../base/limits.ts";
import type { StateRefusal } from "../cluster-state.ts";
import { condition, duration } from "./clock.ts";

const text = z.string().min(1).max(faultLimits.textCharacters);
const count = z.int().min(1).max(faultLimits.count);
const delay = duration(faultLimits.delayMs, "60s");
const simulated = duration(limits.clockRunMs, "366d");
const time = z.iso.datetime({ offset: true }).transform((value) => Date.parse(value));

export const faultVerbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"] as const;
const verb = z.enum(faultVerbs);

const selector = z.strictObject({
  userAgent: text.optional().describe("The beginning of the client's `User-Agent`."),
  user: text.optional().describe("The name of the user that the client authenticates as."),
  verb: z.union([verb, z.array(verb).min(1).max(faultVerbs.length)]).optional(),
  resource: text.optional().describe("As `kubectl api-resources` names it with its group: `deployments.apps`."),
  subresource: text.optional().describe("Such as `status`. Absent: requests to the object and to its subresources."),
  namespace: text.optional(),
  name: text.optional(),
  occurrence: count.optional().describe("Only the n-th request that matches, counted from the trigger."),
  share: z.number().gt(0).max(1).optional().describe("The share of the matching requests, chosen by the seed."),
});

export type FaultSelector = z.output<typeof selector>;

export const objectChanges = ["created", "changed", "marked", "deleted"] as const;

const objectChange = z.strictObject({
  resource: text,
  namespace: z.string().max(faultLimits.textCharacters).default(""),
  name: text,
  change: z.enum(objectChanges).describe("`marked`: it has a deletion timestamp from now on."),
  expression: condition.shape.expression
    .optional()
    .describe("Only changes at which this CEL expression over `object` becomes true count."),
  occurrence: count.default(1).describe("The n-th such change since the faults were set."),
});

export type ObjectChange = z.output<typeof objectChange>;

const trigger = z.union(
  [
    z.strictObject({ at: time }),
    z.strictObject({ when: condition }),
    z.strictObject({ change: objectChange }),
    z.strictObject({
      write: count.describe("The n-th write that the selector matches; events and leases do not count."),
    }),
  ],
  { error: "must be {at}, {when}, {change} or {write}" },
);

const end = z.strictObject({
  at: time.optional(),
  after: simulated.optional().describe("So much of the sandbox's time after the trigger."),
  times: count.optional().describe("After so many injections."),
  when: condition.optional(),
  change: objectChange.optional().describe("With a change of an object, counted from the trigger."),
});

/** The change up to which a lagging server has come, or just before which it lags. */
const staleSince = objectChange.extend({ before: z.boolean().default(false) });

export const faultStatuses = [409, 429, 500, 503, 504] as const;
export const nodeFaults = ["notReady", "gone", "partitioned", "diskPressure", "memoryPressure"] as const;
export const pullFailures = ["timeout", "denied", "tooManyRequests", "unavailable"] as const;
export const webhookFailures = ["timeout", "refused", "error"] as const;

const image = text.optional().describe("The beginning of the image as pods name it. Absent: all images.");
const webhookName = text.optional().describe("The webhook in its configuration. Absent: all of them.");

const action = z.union(
  [
    z.strictObject({
      status: z.union(faultStatuses.map((code) => z.literal(code))),
      retryAfterSeconds: z.int().min(1).max(faultLimits.retryAfterSeconds).optional(),
      message: text.optional(),
    }),
    z.strictObject({ latency: delay }),
    z.strictObject({ lostAnswer: z.literal(true) }),
    z.strictObject({ cut: z.literal(true) }),
    z.strictObject({ disconnect: z.literal(true) }),
    z.strictObject({ watch: z.enum(["end", "expire", "freeze", "skip"]) }),
    z.strictObject({ watchDelay: delay }),
    z.strictObject({ stale: z.union([z.literal(true), staleSince]) }),
    z.strictObject({ compact: z.literal(true) }),
    z.strictObject({ stop: text }),
    z.strictObject({ node: z.enum(nodeFaults) }),
    z.strictObject({ container: z.enum(["kill", "oom"]), of: text.optional() }),
    z.strictObject({ pull: z.enum(pullFailures), image }),
    z.strictObject({ pullDelay: simulated, image }),
    z.strictObject({ webhook: z.enum(webhookFailures), of: webhookName }),
    z.strictObject({ webhookDelay: delay, of: webhookName }),
    z.strictObject({ clock: simulated }),
    z.strictObject({ record: z.literal(true) }),
  ],
  { error: "must be one of the actions that docs/faults.md lists" },
);

export type FaultAction = z.output<typeof action>;

const fault = z.strictObject({
  name: text.optional().describe("The name in the timeline. Absent: its place in the list."),
  selector: selector.prefault({}),
  trigger: trigger.optional().describe("Absent: at once."),
  action,
  end: end.optional().describe("Absent: when the faults are replaced or deleted. The first that comes counts."),
});

export type Fault = z.output<typeof fault>;

/** Body of `PUT /v1/sandboxes/{id}/faults`. */
export const putFaults = z.strictObject({
  seed: z.int().min(0).max(limits.seedMax).default(0).describe("The chance of `share` follows from it."),
  faults: z.array(fault).min(1).max(faultLimits.faults),
});

export type PutFaults = z.output<typeof putFaults>;
export type GivenFaults = z.input<typeof putFaults>;

/** Query of `GET /v1/sandboxes/{id}/faults`. */
export const faultsQuery = z.strictObject({
  since: z.coerce.number().int().min(0).default(0).describe("Only injections after this number."),
  waitSeconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(faultLimits.waitMs / 1000)
    .default(0)
    .describe("How long the answer waits for such an injection."),
});

export type FaultsQuery = z.output<typeof faultsQuery>;

/** Query of `DELETE /v1/sandboxes/{id}/faults`. */
export const faultsDeletion = z.strictObject({
  name: text.optional().describe("The fault to end. Absent: all are deleted."),
});

export const faultStates = ["waiting", "active", "ended"] as const;

export const injection = z.object({
  /** The number of the injection, from 1. It goes on rising when faults are replaced. */
  number: z.int(),
  fault: z.string(),
  at: z.iso.datetime(),
  /** The newest revision at that moment. */
  revision: z.int(),
  effect: z.string(),
  /** The client and the object of the request, for faults of requests. */
  user: z.string().optional(),
  verb: z.string().optional(),
  resource: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
});

export type Injection = z.output<typeof injection>;

/** Response of `PUT` and `GET /v1/sandboxes/{id}/faults`. */
export const faultList = z.object({
  seed: z.int(),
  faults: z.array(
    z.object({
      name: z.string(),
      /** The first field of its action: `status`, `disconnect`. */
      action: z.string(),
      state: z.enum(faultStates),
      /** The number of requests that matched since the trigger, of writes that counted for it, and of injections. */
      matched: z.int(),
      writes: z.int(),
      injected: z.int(),
    }),
  ),
  /** The oldest after `since`. */
  injections: z.array(injection),
});

export type FaultList = z.output<typeof faultList>;

/** The result. A refusal names the invalid field. */
export type FaultsAnswer = (StateRefusal & { readonly field?: string }) | ({ readonly ok: true } & FaultList);

export interface ClusterFaultsRpc {
  setFaults(faults: PutFaults): Promise<FaultsAnswer>;
  getFaults(query: FaultsQuery): Promise<FaultsAnswer>;
  /** Ends the fault of a name, or deletes all. */
  deleteFaults(name: string | undefined): Promise<FaultsAnswer>;
}
