// The static pods of the first node in a cluster with a control plane. The kubelet creates a mirror pod for each in the API, and creates it
// again if it is deleted.
import { stableHex } from "../../shared/base/stable.ts";
import type { Node, PodSpec } from "../../shared/k8s/api/core-v1.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { defineController, type ReconcileContext, type Request, watch } from "../runtime/controller.ts";
import { type StaticPod, staticPods } from "../machine/manifests.ts";

const namespace = "kube-system";
/** The ConfigMap in which kubeadm stores the configuration of the cluster. */
export const clusterConfiguration = "kubeadm-config";
/** The annotation of that ConfigMap that names the node with the control plane. */
export const controlPlaneAnnotation = "sandbar.dev/control-plane";
const configHash = "kubernetes.io/config.hash";
const mirror = "kubernetes.io/config.mirror";

export const staticPodController = defineController({
  name: "static-pods",
  user: "system:node:sandbar",
  component: "kubelet",
  watches: [
    watch(configMaps, function* (next): Generator<Request> {
      const { name, annotations, namespace: configNamespace } = next?.metadata ?? {};
      const node = annotations?.[controlPlaneAnnotation];
      if (configNamespace === namespace && name === clusterConfiguration && node) yield { namespace: "", name: node };
    }),
    watch(nodes, function* (next, previous): Generator<Request> {
      if (next && !previous && isSimulated(next)) yield { namespace: "", name: next.metadata.name ?? "" };
    }),
    watch(pods, function* (next, previous): Generator<Request> {
      if (next || previous?.metadata.annotations?.[mirror] === undefined) return;
      yield { namespace: "", name: previous.spec.nodeName ?? "" };
    }),
  ],
  reconcile({ name }, context) {
    const node = context.client.get(nodes, "", name);
    if (!node || !isSimulated(node) || node.metadata.deletionTimestamp || !hasControlPlane(name, context.client))
      return undefined;
    const address = node.status.addresses?.find(({ type }) => type === "InternalIP")?.address;
    if (address === undefined) return undefined;
    for (const pod of staticPods(name, address, context.client)) create(pod, node, context);
    return undefined;
  },
});

function hasControlPlane(node: string, client: Client): boolean {
  const configuration = client.get(configMaps, namespace, clusterConfiguration);
  return configuration?.metadata.annotations?.[controlPlaneAnnotation] === node;
}

const atOnce: DeleteQuery = { gracePeriodSeconds: 0 };

function imageOf({ spec }: { readonly spec: Pick<PodSpec, "containers"> }): string | undefined {
  return spec.containers[0]?.image;
}

function create({ name, annotations, spec }: StaticPod, node: Node, { client, nowMs }: ReconcileContext): void {
  const { name: nodeName = "", uid = "" } = node.metadata;
  const podName = `${name}-${nodeName}`;
  const mirrored = client.get(pods, namespace, podName);
  // An upgrade changes the manifest. The deletion of the old mirror pod leads here again.
  if (mirrored && imageOf(mirrored) !== imageOf({ spec })) client.tryDelete(pods, namespace, podName, atOnce);
  if (mirrored) return;
  const hash = stableHex(`${podName}/${JSON.stringify(spec)}`, 32);
  try {
    client.create(pods, {
      metadata: {
        name: podName,
        namespace,
        labels: { component: name, tier: "control-plane" },
        annotations: {
          ...annotations,
          [configHash]: hash,
          [mirror]: hash,
          "kubernetes.io/config.seen": rfc3339(nowMs),
          "kubernetes.io/config.source": "file",
        },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: nodeName, uid, controller: true }],
      },
      spec: { ...spec, nodeName, tolerations: [{ effect: "NoExecute", operator: "Exists" }] },
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
  }
}
