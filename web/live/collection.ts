// The objects of one kind as signals. Changes are collected for a moment, so that a thousand of them render once.
import { type ReadonlySignal, computed, signal } from "@preact/signals";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { LinkState, Listener } from "./informer.ts";

export interface Collection<T> {
  /** By uid; the same map each time, so read it through this signal. */
  readonly byUid: ReadonlySignal<ReadonlyMap<string, T>>;
  /** In no order. */
  readonly all: ReadonlySignal<readonly T[]>;
  readonly state: ReadonlySignal<LinkState>;
  /** Whether everything there was at first has come. */
  readonly loaded: ReadonlySignal<boolean>;
  /** Whether it appeared only just now. */
  isNews(uid: string): boolean;
}

/** Short enough to be live, long enough for a roll-out's burst. */
const shortestMs = 40;
const newsMs = 1000;

export function newCollection<T extends KubeObject>(
  gatherMs = shortestMs,
): { collection: Collection<T>; listener: Listener<T> } {
  const objects = new Map<string, T>();
  const version = signal(0);
  const state = signal<LinkState>({ phase: "connecting" });
  const loaded = signal(false);
  const news = new Set<string>();
  let due = false;
  const changed = () => {
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
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
      isNews: (uid) => news.has(uid),
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
          news.add(uid);
          setTimeout(() => news.delete(uid), newsMs);
        }
        objects.set(uid, object);
        changed();
      },
      remove(object) {
        objects.delete(uidOf(object));
        changed();
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
