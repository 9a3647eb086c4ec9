// Pods with device claims, and the scheduler's allocations, for tests of dynamic resource allocation.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { DeviceToleration, ResourceClaim } from "../../../shared/k8s/api/resource-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { deviceClasses } from "../../../worker/kinds/resource/device-class.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { resourceClaimTemplates } from "../../../worker/kinds/resource/resource-claim-template.ts";
import { resourceClaims } from "../../../worker/kinds/resource/resource-claim.ts";
import type { TestCluster } from "../../cluster.ts";

export const gpu = "gpu.sandbar.dev";
const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: gpu } }] } };

export function applyClass(cluster: TestCluster, name = gpu, annotations: Record<string, string> = {}): void {
  const cel = { expression: `device.driver == "${name}"` };
  cluster.apply(deviceClasses, { metadata: { name, annotations }, spec: { selectors: [{ cel }] } });
}

export function applyTemplate(cluster: TestCluster, name = "gpu"): void {
  const labels = { made: "here" };
  cluster.apply(resourceClaimTemplates, {
    metadata: { name, namespace: "default" },
    spec: { metadata: { labels }, spec },
  });
}

export function applyClaim(cluster: TestCluster, name: string): ResourceClaim {
  return cluster.apply(resourceClaims, { metadata: { name, namespace: "default" }, spec });
}

/** Creates a pod, bound to `nodeName` if given. */
export function applyPod(
  cluster: TestCluster,
  name: string,
  claim: { readonly resourceClaimName?: string; readonly resourceClaimTemplateName?: string },
  more: Draft<Pod["spec"]> = {},
): Pod {
  return cluster.apply(pods, {
    metadata: { name, namespace: "default" },
    spec: {
      schedulerName: "nobody",
      containers: [{ name: "web", image: "nginx:1", resources: { claims: [{ name: "gpu" }] } }],
      resourceClaims: [{ name: "gpu", ...claim }],
      ...more,
    },
  });
}

/** Writes the allocation of a claim as the scheduler does, with a user if given. */
export function allocate(
  cluster: TestCluster,
  claimName: string,
  { node, user, tolerations }: { node: string; user?: Pod; tolerations?: DeviceToleration[] },
): void {
  const claim = cluster.get(resourceClaims, "default", claimName);
  const result = { request: "one", driver: gpu, pool: node, device: "gpu-0", ...(tolerations ? { tolerations } : {}) };
  const { name = "", uid = "" } = user?.metadata ?? {};
  cluster.client.updateStatus(resourceClaims, {
    ...claim,
    status: {
      allocation: { devices: { results: [result] } },
      ...(user ? { reservedFor: [{ resource: "pods", name, uid }] } : {}),
    },
  });
  cluster.edit(resourceClaims, "default", claimName, ({ metadata }) => {
    metadata.finalizers = ["resource.kubernetes.io/delete-protection"];
  });
}
