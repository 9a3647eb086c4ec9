// The control API's history of a sandbox: the kubeconfig of a past revision, the timeline, and the reason why an object waits.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import type { StateRefusal } from "../cluster-state.ts";

/** A resource version or a time. The cluster checks that its history reaches back to it. */
export const moment = z
  .string()
  .max(limits.durationCharacters)
  .refine(
    (text) => /^\d{1,15}$/.test(text) || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text),
    "must be a resource version, or a time such as 2026-01-31T12:00:00Z",
  );

/** Query of `GET /v1/sandboxes/{id}/kubeconfig`. */
export const kubeconfigQuery = z.strictObject({
  at: moment.optional().describe("A resource version or a time: kubectl sees the sandbox as it was then, read-only."),
});

const word = z.string().max(limits.idCharacters);

/** Query of `GET /v1/sandboxes/{id}/timeline`. The selected entries are returned with their causes and effects. */
export const timelineQuery = z.strictObject({
  resource: word.optional().describe("As `kubectl api-resources` names it with its group: `deployments.apps`."),
  namespace: word.optional(),
  name: z.string().max(limits.changedNameCharacters).optional(),
  user: z.string().max(limits.changedNameCharacters).optional().describe("Whose requests."),
  auditId: z.string().max(limits.changedNameCharacters).optional().describe("The `Audit-Id` of an answer."),
  since: moment.optional().describe("A resource version or a time, from which on."),
  until: moment.optional().describe("A resource version or a time, up to which."),
  limit: z.coerce.number().int().min(1).max(limits.timelineEntries).default(limits.timelineEntries),
  format: z
    .enum(["json", "text"])
    .optional()
    .describe("Absent: `Accept` decides, and where it says nothing it is JSON."),
  follow: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional()
    .describe(
      "Keeps the answer open and sends further entries as they happen: events for `Accept: text/event-stream`, lines of text for `text/plain`, else a line of JSON for each entry. Absent: `true` for `text/event-stream`.",
    ),
});

export type TimelineQuery = z.output<typeof timelineQuery>;

export const timelineEntry = z.object({
  revision: z.int(),
  /** The time on the sandbox's clock. Absent if unknown. */
  at: z.iso.datetime().optional(),
  change: z.enum(["created", "changed", "deleted", "fault"]),
  resource: z.string(),
  /** The namespace. Absent for cluster-scoped objects. */
  namespace: z.string().optional(),
  name: z.string(),
  user: z.string(),
  /** The verb of a request, or the reconcile of a controller: `replicaset:default/web-1`. */
  origin: z.string(),
  /** The audit id, present for the request of a user. */
  auditId: z.string().optional(),
  subresource: z.string().optional(),
  /** The revision of the change that the controller reacted to. */
  causedBy: z.int().optional(),
  /** The change in a few words: an event's reason and message, the fields, or what a fault did. */
  summary: z.string(),
});

export type TimelineEntry = z.output<typeof timelineEntry>;

/** Entries in the order of their revisions: the newest of the selected ones. */
export const timeline = z.object({
  entries: z.array(timelineEntry),
  /** True if there are earlier entries: request them with `until` one revision before the first entry. */
  truncated: z.boolean(),
});

export type Timeline = z.output<typeof timeline>;

/** Query of `GET /v1/sandboxes/{id}/why/{resource}/{name}`. */
export const whyQuery = z.strictObject({
  namespace: word.default("default"),
  format: z.enum(["json", "text"]).optional(),
});

export const whyStates = ["fine", "waits", "fails"] as const;

export interface Reason {
  /** The object: `Pod default/web-1`, `node node-1`. */
  readonly what: string;
  readonly state: (typeof whyStates)[number];
  /** A sentence without a full stop. */
  readonly because: string;
  /** A command that shows it. */
  readonly see?: string | undefined;
  readonly reasons?: readonly Reason[] | undefined;
}

/** Returns the schema of a tree up to a depth, because OpenAPI 3.1 documents here have no recursive schemas. */
function reasonOf(depth: number): z.ZodType<Reason> {
  const fields = { what: z.string(), state: z.enum(whyStates), because: z.string(), see: z.string().optional() };
  return depth === 0 ? z.object(fields) : z.object({ ...fields, reasons: z.array(reasonOf(depth - 1)).optional() });
}

export const why = z.object({
  /** The complete explanation in a sentence. */
  sentence: z.string(),
  tree: reasonOf(limits.whyDepth),
});

export type Why = z.output<typeof why>;

export interface WhyQuestion {
  /** The resource as kubectl accepts it: a plural or singular name, a short name, or one with its group. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A step of a followed timeline. */
export interface TimelineStepQuestion {
  readonly query: TimelineQuery;
  /** The revision up to which the client has everything. Undefined in the first step, which answers like `timeline`. */
  readonly after?: number | undefined;
  /** The number of the newest injected fault that the client has. Undefined if it resumes at a revision. */
  readonly injection?: number | undefined;
  /** The revisions of entries that were sent: their effects are selected too. */
  readonly sent: readonly number[];
}

export interface TimelineStep extends Timeline {
  /** The revision up to which the client has everything after this step. */
  readonly revision: number;
  /** The number of the newest injected fault that the client has after this step. */
  readonly injection: number;
  /** True if the next step has more. */
  readonly hasMore: boolean;
}

export interface ClusterPastRpc {
  timeline(query: TimelineQuery): Promise<StateRefusal | ({ readonly ok: true } & Timeline)>;
  /** Returns the next entries of a followed timeline, and has the cluster signal the next change. */
  followTimeline(question: TimelineStepQuestion): Promise<StateRefusal | ({ readonly ok: true } & TimelineStep)>;
  why(question: WhyQuestion): Promise<StateRefusal | ({ readonly ok: true } & Why)>;
}
