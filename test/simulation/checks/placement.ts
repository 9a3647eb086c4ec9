// Where pods are: never on a node that refuses them, and waiting only where every node does.
import type { Node, NodeSelectorTerm, Pod, PodAffinityTerm } from "../../../shared/k8s/api/core-v1.ts";
import { quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import { nodes as nodeKind } from "../../../worker/kinds/core/node/node.ts";
import { pods as podKind } from "../../../worker/kinds/core/pod/pod.ts";
import type { Client } from "../../../worker/registry/client.ts";
import { called, conditionOf, hasAll, type View } from "./view.ts";

const hostname = "kubernetes.io/hostname";
const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** Every pod is where it can be, or waits because no node takes it. */
export function* podProblems({ pods, nodes }: View): Generator<string> {
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  for (const pod of pods) {
    const { nodeName } = pod.spec;
    if (nodeName !== undefined) {
      const node = byName.get(nodeName);
      if (!node) yield `${called(pod)} is on ${nodeName}, which is not there`;
      else if (!isChosen(node, pod)) yield `${called(pod)} is on ${nodeName} against its selector`;
      else if (isDrivenOff(node, pod)) yield `${called(pod)} is on ${nodeName} against a taint`;
      continue;
    }
    const free = nodes.find((node) => refusals(node, pod, pods).next().done === true);
    // Volumes and the company of others are the scheduler's own tests' matter.
    const isSimple =
      !pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim) && !pod.spec.affinity?.podAffinity;
    if (free && isSimple) yield `${called(pod)} waits though ${String(free.metadata.name)} takes it`;
    if (conditionOf(pod.status.conditions, "PodScheduled")?.reason !== "Unschedulable")
      yield `${called(pod)} waits without a reason`;
  }
}

/** Lists the reasons why a pod does not fit the node to which it was just bound. */
export function* bindingProblems(pod: Pod, client: Client): Generator<string> {
  const { nodeName = "" } = pod.spec;
  const node = client.get(nodeKind, "", nodeName);
  if (!node) {
    yield `${called(pod)}: bound to ${nodeName}, which is not there`;
    return;
  }
  const otherPods = client.byIndexValue(podKind, nodeName).filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
  for (const refusal of refusals(node, pod, otherPods)) yield `${called(pod)}: bound to ${nodeName} against ${refusal}`;
}

/** Why a node does not take a pod. */
function* refusals(node: Node, pod: Pod, all: readonly Pod[]): Generator<string> {
  const { unschedulable = false, taints = [] } = node.spec;
  const isCordoned = unschedulable && !tolerates(pod, "node.kubernetes.io/unschedulable");
  if (isCordoned) yield "its cordon";
  for (const { key, effect } of taints)
    if (effect !== "PreferNoSchedule" && !tolerates(pod, key)) yield `its taint ${key}`;
  if (!isChosen(node, pod)) yield "the pod's choice";
  const podsOfNode = all.filter(
    ({ spec, status }) =>
      spec.nodeName === node.metadata.name && status.phase !== "Succeeded" && status.phase !== "Failed",
  );
  const cpu = [...podsOfNode, pod].reduce((sum, podOfNode) => sum + cpuOf(podOfNode), 0);
  if (cpuOf(pod) > 0 && cpu > quantityMilliValue(node.status.allocatable?.["cpu"] ?? 0)) yield `its ${cpu}m of CPU`;
  const taken = new Set(podsOfNode.flatMap(hostPorts));
  for (const port of hostPorts(pod)) if (taken.has(port)) yield `host port ${port}`;
  for (const otherPod of podsOfNode) if (isAverse(pod, otherPod) || isAverse(otherPod, pod)) yield called(otherPod);
}

function tolerates({ spec }: Pod, key: string): boolean {
  return (spec.tolerations ?? []).some(
    (toleration) => toleration.key === key || (!toleration.key && toleration.operator === "Exists"),
  );
}

/** Reports whether a taint without a matching toleration evicts the pod. Timed tolerations are checked elsewhere. */
function isDrivenOff(node: Node, pod: Pod): boolean {
  return (node.spec.taints ?? []).some(({ key, effect }) => effect === "NoExecute" && !tolerates(pod, key));
}

function isChosen(node: Node, { spec }: Pod): boolean {
  const terms = spec.affinity?.nodeAffinity?.[required]?.nodeSelectorTerms;
  return hasAll(node.metadata.labels, spec.nodeSelector ?? {}) && (!terms || terms.some((term) => isOf(node, term)));
}

function isOf({ metadata }: Node, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  const isMet = (value: string | undefined, operator: string, values: readonly string[]) =>
    operator === "In" ? values.includes(value ?? "") : !values.includes(value ?? "");
  return (
    matchExpressions.every(({ key, operator, values = [] }) => isMet(metadata.labels?.[key], operator, values)) &&
    matchFields.every(({ operator, values = [] }) => isMet(metadata.name, operator, values))
  );
}

function cpuOf({ spec }: Pod): number {
  return spec.containers.reduce((sum, { resources }) => sum + quantityMilliValue(resources.requests?.["cpu"] ?? 0), 0);
}

function hostPorts({ spec }: Pod): number[] {
  return spec.containers.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => (hostPort ? [hostPort] : [])));
}

/** Reports whether one pod's anti-affinity excludes the other from its node. */
function isAverse(pod: Pod, otherPod: Pod): boolean {
  const terms: readonly PodAffinityTerm[] = pod.spec.affinity?.podAntiAffinity?.[required] ?? [];
  return terms.some(
    ({ topologyKey, labelSelector }) =>
      topologyKey === hostname &&
      pod.metadata.namespace === otherPod.metadata.namespace &&
      hasAll(otherPod.metadata.labels, labelSelector?.matchLabels ?? {}),
  );
}
