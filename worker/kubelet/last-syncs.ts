// The last sync of each pod. Stored times have whole seconds; this has the milliseconds. It also avoids a sync after each of the kubelet's own
// writes. In seeded clusters it is saved with the pod's request, so that an eviction does not change the times of the next moves.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { StopPlan } from "./life.ts";
import type { StopPlans } from "./stop-plans.ts";
import { readStored } from "../../shared/base/stored-json.ts";

/** The maximum characters of the plan of a stop that is saved. Without it the end is computed again, from whole seconds. */
const mostPlanCharacters = 2000;

interface LastSync {
  /** The time up to which the pod was synchronized. */
  readonly syncedMs: number;
  /** The time of the next sync, as long as the pod has this resource version and its containers' edits this version. */
  readonly next?: { readonly dueMs: number; readonly resourceVersion: string; readonly version: number };
}

interface Saved extends LastSync {
  readonly uid: string;
  readonly stopPlan?: StopPlan;
}

type Metadata = Pick<Pod, "metadata">;

export class LastSyncs {
  readonly #byUid = new Map<string, LastSync>();

  /** Restores the last sync of a pod, and the plan of its stop, from the saved state of its request, if they are not in memory. */
  restore({ metadata: { uid = "" } }: Metadata, savedState: string | undefined, stopPlans: StopPlans): void {
    if (savedState === undefined || this.#byUid.has(uid)) return;
    const saved = readStored<Saved>(savedState, ["uid", "syncedMs"]);
    if (saved?.uid !== uid) return;
    const { syncedMs, next, stopPlan } = saved;
    // Versions of edits begin at 0 when the cluster is opened.
    this.#byUid.set(uid, { syncedMs, ...(next ? { next: { ...next, version: 0 } } : {}) });
    if (stopPlan) stopPlans.keep(uid, 0, stopPlan);
  }

  /** Returns the time up to which a pod was synchronized; undefined if it is unknown. */
  syncedMs({ metadata: { uid = "" } }: Metadata): number | undefined {
    return this.#byUid.get(uid)?.syncedMs;
  }

  /** Returns the time before which a pod needs no sync; undefined if it may need one now. */
  dueMs({ metadata: { uid = "", resourceVersion } }: Metadata, version: number): number | undefined {
    const next = this.#byUid.get(uid)?.next;
    return next?.version === version && next.resourceVersion === resourceVersion ? next.dueMs : undefined;
  }

  set({ metadata: { uid = "" } }: Metadata, sync: LastSync): void {
    this.#byUid.set(uid, sync);
  }

  drop({ metadata: { uid = "" } }: Metadata): void {
    this.#byUid.delete(uid);
  }

  /** Returns the last sync of a pod as the saved state of its request. `stopPlan`: the plan of its stop, if there is one. */
  save({ metadata: { uid = "" } }: Metadata, stopPlan: StopPlan | undefined): string | undefined {
    const sync = this.#byUid.get(uid);
    const isShort = stopPlan !== undefined && JSON.stringify(stopPlan).length <= mostPlanCharacters;
    return sync && JSON.stringify({ uid, ...sync, ...(isShort ? { stopPlan } : {}) });
  }
}
