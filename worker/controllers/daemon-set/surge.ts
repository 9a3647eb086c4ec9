// How many pods a rolling update of a DaemonSet may add or take away.
import type { DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import { scaledValue } from "../../../shared/k8s/intstr.ts";

/** Upstream's `AllowsSurge`. */
export function allowsSurge(daemonSet: DaemonSet): boolean {
  return maxSurge(daemonSet, 1) > 0;
}

export function maxSurge({ spec }: DaemonSet, desired: number): number {
  return scaledValue(spec.updateStrategy.rollingUpdate?.maxSurge ?? 0, desired, true);
}

/** Where both are 0, which cannot go on, one pod may be away. */
export function maxUnavailable(daemonSet: DaemonSet, desired: number): number {
  const given = scaledValue(daemonSet.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 0, desired, true);
  return desired > 0 && given === 0 && maxSurge(daemonSet, desired) === 0 ? 1 : given;
}
