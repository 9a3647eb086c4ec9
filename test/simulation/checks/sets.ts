// Invariants of StatefulSets, DaemonSets and ReplicationControllers in an idle cluster.
import type { DaemonSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Node, Pod, ReplicationController } from "../../../shared/k8s/api/core-v1.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import type { Client } from "../../../worker/registry/client.ts";
import { called, differences, hasAll, isActive, isReady, ownedBy, type View } from "./view.ts";

/** The pods are those of the first ordinals; one that is missing or too many is explained by one before it that is not ready. */
export function* statefulSetProblems(view: View): Generator<string> {
  for (const set of view.statefulSets) {
    const owned = ownedBy(view.pods, set).sort((a, b) => ordinalOf(a) - ordinalOf(b));
    yield* identityProblems(set, owned);
    const ready = owned.filter(isReady).length;
    yield* differences(
      called(set),
      { readyReplicas: 0, ...set.status },
      {
        replicas: owned.length,
        readyReplicas: ready,
        observedGeneration: set.metadata.generation,
      },
    );
    if (ready === (set.spec.replicas ?? 0)) yield* revisionProblems(set, owned);
  }
}

function* identityProblems(set: StatefulSet, owned: readonly Pod[]): Generator<string> {
  const label = called(set);
  const [start, replicas] = [set.spec.ordinals?.start ?? 0, set.spec.replicas ?? 0];
  const expected = Array.from({ length: replicas }, (_, at) => start + at);
  const ordinals = owned.map(ordinalOf);
  const isHeldUp = owned.some((pod) => !isReady(pod)) && set.spec.podManagementPolicy !== "Parallel";
  if (new Set(ordinals).size !== ordinals.length) yield `${label}: two pods of one ordinal of ${ordinals.join()}`;
  if (ordinals.join() !== expected.join() && !isHeldUp)
    yield `${label}: pods ${ordinals.join()}, not ${expected.join()}`;
  for (const pod of owned) {
    const { name = "", labels } = pod.metadata;
    if (pod.spec.hostname !== name) yield `${called(pod)}: hostname ${String(pod.spec.hostname)}`;
    if (labels?.["statefulset.kubernetes.io/pod-name"] !== name) yield `${called(pod)}: has not its name as a label`;
  }
}

function ordinalOf({ metadata }: Pod): number {
  return Number(metadata.name?.slice(metadata.name.lastIndexOf("-") + 1));
}

function* revisionProblems(set: StatefulSet, owned: readonly Pod[]): Generator<string> {
  if (set.spec.updateStrategy.type !== "RollingUpdate") return;
  const start = set.spec.ordinals?.start ?? 0;
  const partition = set.spec.updateStrategy.rollingUpdate?.partition ?? 0;
  for (const pod of owned) {
    const isNew = pod.metadata.labels?.["controller-revision-hash"] === set.status.updateRevision;
    if (ordinalOf(pod) - start >= partition && !isNew) yield `${called(pod)}: is not of the newest revision`;
  }
  if (partition === 0 && set.status.currentRevision !== set.status.updateRevision)
    yield `${called(set)}: its rollout has not ended`;
}

/** Checks that a pod of an ordered StatefulSet is created only after all pods before it are ready. */
export function* orderProblems(pod: Pod, client: Client): Generator<string> {
  const owner = getControllerOf(pod);
  if (owner?.kind !== "StatefulSet") return;
  const set = client.get(statefulSets, pod.metadata.namespace ?? "", owner.name);
  if (!set || set.metadata.uid !== owner.uid || set.spec.podManagementPolicy === "Parallel") return;
  const podsByOrdinal = new Map(client.controlledBy(pods, owner.uid).map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = set.spec.ordinals?.start ?? 0; ordinal < ordinalOf(pod); ordinal++) {
    const before = podsByOrdinal.get(ordinal);
    if (!before || !isReady(before) || before.metadata.deletionTimestamp)
      yield `${called(pod)}: comes before ordinal ${ordinal} is ready`;
  }
}

/** Checks that a DaemonSet has one pod on each eligible node, and none on nodes whose taints exclude it. */
export function* daemonSetProblems(view: View): Generator<string> {
  for (const set of view.daemonSets) {
    const owned = ownedBy(view.pods, set).filter(isActive);
    for (const node of view.nodes) {
      const name = node.metadata.name ?? "";
      const count = owned.filter((pod) => nodeOf(pod) === name).length;
      const isWanted = takes(node, set, ["NoSchedule", "NoExecute"]);
      const most = takes(node, set, ["NoExecute"]) ? 1 : 0;
      // With a surge the old one stays until the new one is ready.
      const isSurging = owned.some((pod) => nodeOf(pod) === name && !isReady(pod));
      if (isWanted && count === 0) yield `${called(set)}: no pod on ${name}`;
      if (count > most && !isSurging) yield `${called(set)}: ${count} pods on ${name}`;
    }
    const eligibleNodes = view.nodes.filter((node) => takes(node, set, ["NoSchedule", "NoExecute"]));
    const names = new Set(eligibleNodes.map(({ metadata }) => metadata.name));
    const right = owned.filter((pod) => names.has(nodeOf(pod)));
    yield* differences(
      called(set),
      { ...set.status },
      {
        desiredNumberScheduled: eligibleNodes.length,
        currentNumberScheduled: new Set(right.map(nodeOf)).size,
        numberReady: new Set(right.filter(isReady).map(nodeOf)).size,
        observedGeneration: set.metadata.generation,
      },
    );
    if (set.spec.updateStrategy.type === "RollingUpdate" && owned.every(isReady)) yield* oldImages(set, owned);
  }
}

/** Returns the node that a pod is bound to, or that its affinity names. */
function nodeOf({ spec }: Pod): string | undefined {
  const [term] = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec.nodeName ?? term?.matchFields?.[0]?.values?.[0];
}

/** Whether nothing keeps the set's pods off a node. The node's own conditions and cordons are tolerated by all of them. */
function takes(node: Node, { spec: { template } }: DaemonSet, effects: readonly string[]): boolean {
  const { nodeSelector = {}, tolerations = [] } = template.spec;
  const keys = new Set(tolerations.map(({ key }) => key));
  const isKept = (node.spec.taints ?? []).some(
    ({ key, effect }) => effects.includes(effect) && !keys.has(key) && !key.startsWith("node.kubernetes.io/"),
  );
  return !isKept && hasAll(node.metadata.labels, nodeSelector);
}

function* oldImages(set: DaemonSet, owned: readonly Pod[]): Generator<string> {
  const image = set.spec.template.spec.containers[0]?.image;
  for (const pod of owned) {
    if (pod.spec.containers[0]?.image !== image) yield `${called(pod)}: has not the image ${String(image)}`;
  }
}

export function* replicationControllerProblems(view: View): Generator<string> {
  for (const controller of view.replicationControllers) {
    const owned = ownedBy(view.pods, controller).filter(isActive);
    const desired = controller.spec.replicas ?? 0;
    if (owned.length !== desired) yield `${called(controller)}: ${owned.length} pods, not ${desired}`;
    const ready = owned.filter(isReady).length;
    const status = { readyReplicas: 0, availableReplicas: 0, ...controller.status };
    yield* differences(called(controller), status, {
      replicas: owned.length,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: controller.metadata.generation,
    });
    yield* strays(controller, view);
  }
}

function* strays(controller: ReplicationController, { pods }: View): Generator<string> {
  for (const pod of pods) {
    const { namespace, labels, ownerReferences } = pod.metadata;
    if (
      namespace !== controller.metadata.namespace ||
      !isActive(pod) ||
      !hasAll(labels, controller.spec.selector ?? {})
    )
      continue;
    if (!ownerReferences?.some(({ controller }) => controller)) yield `${called(pod)} belongs to ${called(controller)}`;
  }
}
