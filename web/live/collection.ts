// The objects of one kind as signals. Changes are batched, so that a thousand of them render once.
import { type ReadonlySignal, computed, signal } from "@preact/signals";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { LinkState, Listener } from "./informer.ts";

export interface Collection<T> {
  readonly byUid: ReadonlySignal<ReadonlyMap<string, T>>;
  /** The objects, unordered. */
  readonly all: ReadonlySignal<readonly T[]>;
  readonly state: ReadonlySignal<LinkState>;
  /** True after the first list is complete. */
  readonly loaded: ReadonlySignal<boolean>;
  /** Reports whether the object was added within the last second. */
  isRecent(uid: string): boolean;
}

/** The milliseconds for which changes are batched: short enough to look live, long enough for the burst of a rollout. */
const defaultGatherMs = 40;
const recentMs = 1000;

export function newCollection<T extends KubeObject>(
  gatherMs = defaultGatherMs,
): { collection: Collection<T>; listener: Listener<T> } {
  const objects = new Map<string, T>();
  const version = signal(0);
  const state = signal<LinkState>({ phase: "connecting" });
  const loaded = signal(false);
  const recentUids = new Set<string>();
  let isUpdateScheduled = false;
  const scheduleUpdate = () => {
    if (isUpdateScheduled) return;
    isUpdateScheduled = true;
    setTimeout(() => {
      isUpdateScheduled = false;
      version.value += 1;
    }, gatherMs);
  };
  const byUid = computed<ReadonlyMap<string, T>>(() => (version.value >= 0 ? new Map(objects) : objects));
  return {
    collection: {
      byUid,
      all: computed(() => [...byUid.value.values()]),
      state,
      loaded,
      isRecent: (uid) => recentUids.has(uid),
    },
    listener: {
      reset(items) {
        objects.clear();
        for (const item of items) objects.set(uidOf(item), item);
        version.value += 1;
        loaded.value = true;
      },
      put(object) {
        const uid = uidOf(object);
        if (!objects.has(uid)) {
          recentUids.add(uid);
          setTimeout(() => recentUids.delete(uid), recentMs);
        }
        objects.set(uid, object);
        scheduleUpdate();
      },
      remove(object) {
        objects.delete(uidOf(object));
        scheduleUpdate();
      },
      state: (next) => {
        state.value = next;
      },
    },
  };
}

export function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? "";
}
