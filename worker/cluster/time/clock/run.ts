// A run of the clock: the cluster's time jumps from one due request to the next, and controllers do what is due, as fast as they can.
import type { ClockRun } from "../../../../shared/contract/cluster/clock.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { Event } from "../../../../shared/k8s/api/core-v1.ts";
import type { Event as NewEvent } from "../../../../shared/k8s/api/events-v1.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Change } from "../../../store/change.ts";
import type { ClusterClock } from "./cluster-clock.ts";
import type { Condition } from "./condition.ts";

/** The parts of a cluster that a run of its clock reads. */
export interface RunningCluster {
  readonly clock: ClusterClock;
  readonly runtime: Pick<Runtime, "drain" | "nextDueMs">;
}

/** When a run ends; the first of these that comes. */
export interface RunGoal {
  /** The moment of the cluster's time from which the goal is counted. */
  readonly fromMs: number;
  /** A moment of the cluster's time: "time" if it was asked for, else "simulatedLimit". */
  readonly untilMs: number;
  readonly isLimit: boolean;
  /** Ends the run once nothing has changed for so many milliseconds. */
  readonly quietMs?: number | undefined;
  /** Ends the run once it holds. */
  readonly condition?: Condition | undefined;
}

type End = ClockRun["end"];

/** Resources whose changes tell nothing of the cluster's state. */
const unobserved = new Set(["", "leases.coordination.k8s.io"]);
const otherReasons = "other";
/** Usual reconciles between two looks at whether the turn has taken as long as one may. */
const drainReconciles = 8;

export class ClockRunner {
  readonly #cluster: RunningCluster;
  readonly #goal: RunGoal;
  readonly #events = new Map<string, number>();
  #changes = 0;
  #changedMs: number;

  /** Begins a run: from here on the clock stands between the steps. */
  constructor(cluster: RunningCluster, goal: RunGoal) {
    this.#cluster = cluster;
    this.#goal = goal;
    cluster.clock.drive();
    this.#changedMs = cluster.clock.nowMs();
  }

  /** Counts a change that was committed in the run. */
  note({ type, resource, object, previous }: Change): void {
    if (unobserved.has(resource)) return;
    if (resource === "events" || resource === "events.events.k8s.io") {
      if (type !== "DELETED") this.#count(object as Event | NewEvent, previous as Event | NewEvent | undefined);
      return;
    }
    this.#changes += 1;
    this.#changedMs = this.#cluster.clock.nowMs();
  }

  #count(event: Event | NewEvent, previous: Event | NewEvent | undefined): void {
    const more = occurrences(event) - (previous ? occurrences(previous) : 0);
    const isCounted = this.#events.has(event.reason ?? "") || this.#events.size < limits.clockRunReasons;
    const reason = isCounted ? (event.reason ?? "") : otherReasons;
    if (more > 0) this.#events.set(reason, (this.#events.get(reason) ?? 0) + more);
  }

  /**
   * Does one turn's share of the run. Returns why the run ended; undefined if it goes on. `mayStep` is false while somebody outside is
   * still to answer: then only what is due now is done.
   */
  turn(isLate: () => boolean, mayStep: boolean): End | undefined {
    const { clock, runtime } = this.#cluster;
    const { condition, quietMs, untilMs, isLimit } = this.#goal;
    for (let done = 0; done < limits.clockRunReconciles && !isLate(); ) {
      if (condition?.holds()) return "condition";
      const dueMs = runtime.nextDueMs() ?? Number.POSITIVE_INFINITY;
      if (dueMs > clock.nowMs()) {
        if (!mayStep) return undefined;
        if (quietMs !== undefined && dueMs > this.#changedMs + quietMs) return "quiet";
        clock.stepTo(Math.min(dueMs, untilMs));
        if (dueMs > untilMs) return isLimit ? "simulatedLimit" : "time";
      }
      // A drain ends with the write after which the condition holds. Time ends it between two drains only: a reconcile that is stopped
      // half way begins again, and a run would have many such.
      const isOver = condition && (() => condition.holds());
      done += Math.max(
        1,
        runtime.drain(Math.min(drainReconciles, limits.clockRunReconciles - done), undefined, isOver),
      );
    }
    return undefined;
  }

  /** Ends the run: the clock goes on by itself. */
  end(): void {
    this.#cluster.clock.release();
  }

  result(end: End, realMs: number): ClockRun {
    const simulatedMs = this.#cluster.clock.nowMs() - this.#goal.fromMs;
    const events = Object.fromEntries([...this.#events].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { simulatedMs, realMs, end, events, changes: this.#changes };
  }
}

function occurrences(event: Event | NewEvent): number {
  const count = "count" in event ? event.count : (event as NewEvent).deprecatedCount;
  return event.series?.count ?? count ?? 1;
}
