// The control API's clock of a sandbox: `GET` and `PATCH /v1/sandboxes/{id}/clock`.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import type { StateRefusal } from "../cluster-state.ts";

const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const durationShape = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Returns the milliseconds of a duration such as `90s`, `1h30m` or `7d`, or undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const match = durationShape.exec(text);
  if (!match) return undefined;
  return Object.values(unitsMs).reduce((sum, unitMs, at) => sum + Number(match[at + 1] ?? 0) * unitMs, 0);
}

export function duration(mostMs: number, most: string) {
  return z
    .string()
    .max(limits.durationCharacters)
    .refine((text) => durationMs(text) !== undefined, "must be a duration such as 90s, 1h30m or 7d")
    .refine((text) => (durationMs(text) ?? 0) <= mostMs, `must be at most ${most}`)
    .transform((text) => durationMs(text) ?? 0);
}

const simulated = duration(limits.clockRunMs, "366d");
const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const clockState = z.enum(["running", "paused"]);
export type ClockState = z.output<typeof clockState>;

export const condition = z.strictObject({
  resource: z
    .string()
    .max(limits.idCharacters)
    .describe("As `kubectl api-resources` names it with its group: `deployments.apps`."),
  namespace: z.string().max(limits.idCharacters).default(""),
  name: z.string().max(limits.changedNameCharacters),
  expression: z
    .string()
    .min(1)
    .max(limits.conditionCharacters)
    .describe("CEL over `object`, which is null while there is none: `object.status.succeeded == 1`."),
});

export type ClockCondition = z.output<typeof condition>;

/** Body of `PATCH /v1/sandboxes/{id}/clock`. `state`, `speed` and `now` are set before the clock is run. */
export const patchClock = z
  .strictObject({
    state: clockState.optional(),
    speed: z.number().min(0.1).max(1000).optional(),
    now: moment.optional().describe("A later time to which the clock jumps at once: what was due in between is late."),
    advance: simulated.optional().describe("Runs so much of the cluster's time as fast as can be."),
    runUntil: z
      .union([z.literal("quiet"), moment, condition], {
        error: 'must be "quiet", a time, or {resource, namespace, name, expression}',
      })
      .optional()
      .describe(
        "Runs the cluster as fast as can be: until nothing changes any more, a time, or an object's condition.",
      ),
    quietFor: simulated.prefault("60s").describe("How long nothing changes in a quiet cluster."),
    limit: z
      .strictObject({
        simulated: simulated
          .optional()
          .describe(
            "The most of the cluster's time that passes; absent: a day, or all that a duration or a time says.",
          ),
        real: duration(limits.clockRunRealMs, "60s").prefault("20s"),
      })
      .prefault({}),
  })
  .refine((body) => body.advance === undefined || body.runUntil === undefined, {
    error: "give advance or runUntil, not both",
    path: ["runUntil"],
  });

export type PatchClock = z.output<typeof patchClock>;

const facts = {
  now: z.iso.datetime(),
  state: clockState,
  speed: z.number(),
};

/** Response of `GET /v1/sandboxes/{id}/clock`. */
export const clock = z.object(facts);

export type ClockFacts = z.output<typeof clock>;

export const clockEnds = ["time", "quiet", "condition", "simulatedLimit", "realLimit"] as const;

export const clockRun = z.object({
  /** The milliseconds of simulated and of real time that passed. */
  simulatedMs: z.number(),
  realMs: z.number(),
  /** The reason why the run ended. After `realLimit`, a further request continues it. */
  end: z.enum(clockEnds),
  /** The number of events in the cluster by reason. */
  events: z.record(z.string(), z.int()),
  /** The number of changes of objects, without events and leases. */
  changes: z.int(),
});

export type ClockRun = z.output<typeof clockRun>;

/** Response of `PATCH /v1/sandboxes/{id}/clock`. `run` is absent if the clock was only set. */
export const changedClock = z.object({ ...facts, run: clockRun.optional() });

export type ChangedClock = z.output<typeof changedClock>;

/** The result. A refusal names the invalid field. */
export type SetClock = (StateRefusal & { readonly field?: string }) | ({ readonly ok: true } & ChangedClock);

export interface ClusterClockRpc {
  /** Returns undefined if the cluster does not exist. */
  getClock(): Promise<ClockFacts | undefined>;
  setClock(change: PatchClock): Promise<SetClock>;
}
