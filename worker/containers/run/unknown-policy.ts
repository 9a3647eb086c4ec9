// Whether what the simulator lacks is assumed to succeed in a pod: the sandbox's setting, or the pod's own annotation.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { UnknownPolicy } from "../shell/assumption.ts";
import type { ClusterView } from "./world.ts";

/** On a pod: `succeed` or `fail`. It overrides the sandbox's `unknown`. */
export const unknownAnnotation = "sandbar.dev/unknown";

/** Returns the policy of a run, given the policy that holds where assumptions are allowed. */
export function unknownPolicy(pod: Pod, view: ClusterView, policy: UnknownPolicy = "succeed"): UnknownPolicy {
  const chosen = pod.metadata.annotations?.[unknownAnnotation] ?? view.unknown;
  return chosen === "fail" ? "fail" : policy;
}
