// The static pods of nodes. The kubelet creates a mirror pod in the API for each manifest in its folder, and creates it again if it is deleted
// or its manifest changes. The node with the control plane has the manifests of kubeadm.
import { stableHex } from "../../shared/base/stable.ts";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { NodeMachines } from "../containers/cri.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { defineController, type ReconcileContext, type Request, watch } from "../runtime/controller.ts";
import { clusterConfiguration, controlPlaneAnnotation } from "../machine/control-plane.ts";
import { staticPods } from "../machine/manifests.ts";
import { type Manifest, readManifest } from "../machine/static-manifest.ts";

export const staticPodControllerName = "static-pods";

const configNamespace = "kube-system";
const configHash = "kubernetes.io/config.hash";
const mirror = "kubernetes.io/config.mirror";

export const staticPodController = (machines?: NodeMachines) =>
  defineController({
    name: staticPodControllerName,
    user: "system:node:sandbar",
    component: "kubelet",
    watches: [
      watch(configMaps, function* (next): Generator<Request> {
        const { name, annotations, namespace } = next?.metadata ?? {};
        const node = annotations?.[controlPlaneAnnotation];
        if (namespace === configNamespace && name === clusterConfiguration && node) yield { namespace: "", name: node };
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
      if (!node || !isSimulated(node) || node.metadata.deletionTimestamp) return undefined;
      const address = node.status.addresses?.find(({ type }) => type === "InternalIP")?.address;
      if (address === undefined) return undefined;
      const machine = machines?.of(context.client, node, context.nowMs);
      if (machine && !machine.isKubeletWorking) {
        const { untilMs } = machine;
        return untilMs === Number.POSITIVE_INFINITY ? undefined : { afterMs: Math.max(1, untilMs - context.nowMs) };
      }
      const manifests = machine?.manifests?.flatMap(({ text }) => {
        const manifest = readManifest(text);
        return typeof manifest === "string" ? [] : [manifest];
      });
      const original = installed(name, address, context.client);
      const present = manifests?.map(
        (manifest) => original.find((candidate) => isSame(manifest, candidate)) ?? normalized(manifest),
      );
      settle(present ?? original, node, context, manifests !== undefined);
      return undefined;
    },
  });

/** Returns the manifests that kubeadm has written. */
function installed(node: string, address: string, client: Client): readonly Manifest[] {
  if (!hasControlPlane(node, client)) return [];
  return staticPods(node, address, client).map(({ name, annotations, spec }) => ({
    name,
    namespace: "kube-system",
    labels: { component: name, tier: "control-plane" },
    annotations,
    spec: { ...spec },
  }));
}

/** Reports whether two manifests of a name have the same specification, in any order of its fields. */
function isSame(left: Manifest, right: Manifest): boolean {
  return left.name === right.name && semanticEqual(sorted(left.spec), sorted(right.spec));
}

function normalized(manifest: Manifest): Manifest {
  // The specification is an object.
  return { ...manifest, spec: sorted(manifest.spec) as Manifest["spec"] };
}

function hasControlPlane(node: string, client: Client): boolean {
  const configuration = client.get(configMaps, configNamespace, clusterConfiguration);
  return configuration?.metadata.annotations?.[controlPlaneAnnotation] === node;
}

/** Makes the mirror pods of a node those of its manifests. `deletes`: whether pods without a manifest are deleted. */
function settle(manifests: readonly Manifest[], node: Node, context: ReconcileContext, deletes: boolean): void {
  const { client } = context;
  const nodeName = node.metadata.name ?? "";
  const expectedPods = new Map(
    manifests.map((manifest) => [`${manifest.namespace}/${manifest.name}-${nodeName}`, manifest]),
  );
  for (const pod of [...client.byIndexValue(pods, nodeName)]) {
    const { namespace = "", name = "", uid = "", annotations } = pod.metadata;
    if (annotations?.[mirror] === undefined) continue;
    const manifest = expectedPods.get(`${namespace}/${name}`);
    // An upgrade of the cluster changes the manifests, too.
    const remains = manifest ? hashOf(manifest, `${manifest.name}-${nodeName}`) === annotations[configHash] : !deletes;
    if (!remains) client.tryDelete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
  }
  for (const manifest of expectedPods.values()) create(manifest, node, context);
}

function hashOf({ spec }: Manifest, podName: string): string {
  return stableHex(`${podName}/${JSON.stringify(spec)}`, 32);
}

/** Returns a value whose objects have their fields in alphabetical order, because a manifest may have them in any order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  );
}

function create(manifest: Manifest, node: Node, { client, nowMs }: ReconcileContext): void {
  const { name: nodeName = "", uid = "" } = node.metadata;
  const podName = `${manifest.name}-${nodeName}`;
  const { namespace, labels, annotations, spec } = manifest;
  if (client.get(pods, namespace, podName)) return;
  const hash = hashOf(manifest, podName);
  // The registry validates the specification.
  const draft = {
    metadata: {
      name: podName,
      namespace,
      labels,
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
  } as unknown as Draft<Pod>;
  try {
    client.create(pods, draft);
  } catch (error) {
    // A manifest that the API refuses, or whose namespace does not exist, has no mirror pod.
    if (!(error instanceof ApiError)) throw error;
  }
}
