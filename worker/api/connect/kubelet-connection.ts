// Connections from the API server to the kubelet of a pod's node (upstream: pkg/kubelet/client).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { ApiRequest } from "../api-request.ts";

/**
 * Throws if no simulated kubelet runs the pod, because a kubelet on a user's machine cannot be dialed from here. `describe` formats the
 * dial error for the subresource. The status is upstream's: 500 without a reason.
 */
export function requireSimulatedKubelet(
  { server }: ApiRequest,
  pod: Pod,
  describe: (dialError: string, address: string) => string,
): void {
  const address = server.containers?.realKubelet(pod.spec.nodeName ?? "");
  if (address === undefined) return;
  throw new ApiError(500, "", describe(`dial tcp ${address}: connect: no route to host`, address));
}

/** Formats a dial error of an upgraded connection: exec, attach and port-forward. */
export function backendError(dialError: string): string {
  return `error dialing backend: ${dialError}`;
}
