// Which pods wait for which ConfigMap or Secret. Only a memory: after it was lost a pod is found again when it is next looked at.
import type { Request } from "../../runtime/controller.ts";

/** By `configmap/<namespace>/<name>`, then by pod. */
export type Waiting = Map<string, Map<string, Request>>;

export function remember(waiting: Waiting, waitsFor: readonly string[], pod: Request): void {
  for (const key of waitsFor) {
    const those = waiting.get(key) ?? new Map<string, Request>();
    those.set(`${pod.namespace}/${pod.name}`, pod);
    waiting.set(key, those);
  }
}

/** The pods to look at now that it changed; who still waits will be remembered again. */
export function release(waiting: Waiting, key: string): Request[] {
  const those = waiting.get(key);
  waiting.delete(key);
  return those ? [...those.values()] : [];
}
