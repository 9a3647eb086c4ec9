// The pods that wait for objects. Held only in memory: after it is lost, a pod is entered again by its next sync.
import type { Request } from "../../runtime/controller.ts";

/** By `configmap/<namespace>/<name>`, then by pod. */
export type Waiting = Map<string, Map<string, Request>>;

export function remember(waiting: Waiting, waitsFor: readonly string[], pod: Request): void {
  for (const key of waitsFor) {
    const podsByName = waiting.get(key) ?? new Map<string, Request>();
    podsByName.set(`${pod.namespace}/${pod.name}`, pod);
    waiting.set(key, podsByName);
  }
}

/** Removes and returns the pods that waited for an object that changed. Pods that still wait are entered again by their next sync. */
export function release(waiting: Waiting, key: string): Request[] {
  const podsByName = waiting.get(key);
  waiting.delete(key);
  return podsByName ? [...podsByName.values()] : [];
}
