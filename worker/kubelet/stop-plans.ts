// The ends of deleted pods' only containers, from the sync that sees the deletion to the one that writes them. Computing an end takes as
// long as following the container's program. Held only in memory: without a plan the end is computed again.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { limits } from "../../shared/base/limits.ts";
import type { StopPlan } from "./life.ts";

interface Entry {
  readonly plan: StopPlan;
  /** The version of the edits of the pod's containers for which the plan was made. */
  readonly version: number;
}

export class StopPlans {
  readonly #entries = new BoundedCache<string, Entry>(limits.stopPlans);

  /** Returns the plan of a pod for any version. */
  latest(uid: string): StopPlan | undefined {
    return this.#entries.peek(uid)?.plan;
  }

  /** Returns the plan of a pod; undefined if there is none for this version. */
  of(uid: string, version: number): StopPlan | undefined {
    const entry = this.#entries.peek(uid);
    return entry?.version === version ? entry.plan : undefined;
  }

  /** Keeps the plan of a pod, if it has an end. */
  keep(uid: string, version: number, plan: StopPlan): void {
    if (!plan.end) this.#entries.delete(uid);
    else this.#entries.set(uid, { plan, version });
  }

  drop(uid: string): void {
    this.#entries.delete(uid);
  }
}
