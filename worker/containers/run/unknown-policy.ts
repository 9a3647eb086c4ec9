// Determines whether software that the simulator lacks is assumed to succeed: by the sandbox's setting, or by the pod's annotation.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { UnknownPolicy } from "../shell/assumption.ts";
import type { ClusterView } from "./world.ts";

/** The annotation of a pod, `succeed` or `fail`, that overrides the sandbox's `unknown`. */
export const unknownAnnotation = "sandbar.dev/unknown";

/** Returns the policy of a run. `policy`: the policy if assumptions are allowed. */
export function unknownPolicy(pod: Pod, view: ClusterView, policy: UnknownPolicy = "succeed"): UnknownPolicy {
  const chosen = pod.metadata.annotations?.[unknownAnnotation] ?? view.unknown;
  return chosen === "fail" ? "fail" : policy;
}
