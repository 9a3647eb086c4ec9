// Connections from the API server to the kubelet of a pod's node (upstream: pkg/kubelet/client).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { ApiRequest } from "../api-request.ts";

/**
 * Throws if no simulated kubelet runs the pod: a kubelet on a machine of the user's cannot be dialed from here. `describe` puts the failed
 * dial into the words of the subresource. The status is upstream's, 500 without a reason.
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

/** The words of upgraded connections: exec, attach and port-forward. */
export function backendError(dialError: string): string {
  return `error dialing backend: ${dialError}`;
}
