// What holds of every object and of the log when nothing is due any more.
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { World } from "../world.ts";
import { called, conditionOf, type View } from "./view.ts";

/** Nothing lives on in an absent namespace, or after its owner; nothing is still going. */
export function* belongingProblems({ all }: View): Generator<string> {
  const namespaces = new Set(all.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name));
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  if (uids.size !== all.length) yield `${all.length} objects have ${uids.size} uids`;
  for (const object of all) {
    const { namespace, ownerReferences = [], deletionTimestamp } = object.metadata;
    if (namespace !== undefined && !namespaces.has(namespace)) yield `${called(object)} has no namespace`;
    if (deletionTimestamp !== undefined) yield `${called(object)} is still going`;
    for (const owner of ownerReferences)
      if (!uids.has(owner.uid)) yield `${called(object)} has no owner ${owner.kind} ${owner.name}`;
  }
}

/** Every pod is where it can be, or waits because no node takes it. */
export function* podProblems({ pods, nodes }: View): Generator<string> {
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  for (const pod of pods) {
    const { nodeName, nodeSelector = {} } = pod.spec;
    const node = byName.get(nodeName);
    if (nodeName !== undefined) {
      if (!node) yield `${called(pod)} is on ${nodeName}, which is not there`;
      else if (!matches(node, nodeSelector)) yield `${called(pod)} is on ${nodeName} against its selector`;
      continue;
    }
    const free = nodes.find((one) => accepts(one, pod) && hasRoom(one, pods));
    if (free) yield `${called(pod)} waits though ${String(free.metadata.name)} takes it`;
    if (conditionOf(pod.status.conditions, "PodScheduled")?.reason !== "Unschedulable")
      yield `${called(pod)} waits without a reason`;
  }
}

export function accepts(node: Node, pod: Pod): boolean {
  const { unschedulable = false, taints = [] } = node.spec;
  const tolerated = new Set((pod.spec.tolerations ?? []).map(({ key }) => key));
  const isKept = taints.some(({ key, effect }) => effect !== "PreferNoSchedule" && !tolerated.has(key));
  return !unschedulable && !isKept && matches(node, pod.spec.nodeSelector ?? {});
}

function matches(node: Node, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => node.metadata.labels?.[key] === value);
}

/** Half a CPU is the most that a pod of the simulation asks for. */
function hasRoom(node: Node, pods: readonly Pod[]): boolean {
  const used = pods
    .filter(
      ({ spec, status }) =>
        spec.nodeName === node.metadata.name && status.phase !== "Succeeded" && status.phase !== "Failed",
    )
    .flatMap(({ spec }) => spec.containers)
    .reduce((sum, { resources }) => sum + Number.parseInt(String(resources.requests?.["cpu"] ?? "0m"), 10), 0);
  return used + 500 <= 4000;
}

/** The log is what was lived, without a gap, and what is there is its last state. */
export function* logProblems({ cluster, changes }: World, { all }: View): Generator<string> {
  const { store } = cluster.registry;
  if (changes.some(({ revision }, index) => revision !== index + 1)) yield "the revisions have a gap";
  if (store.revision !== changes.length) yield `revision ${store.revision} after ${changes.length} changes`;
  const last = new Map<string, string>();
  for (const { type, object, text } of changes) {
    if (type === "DELETED") last.delete(object.metadata.uid ?? "");
    else last.set(object.metadata.uid ?? "", text);
  }
  const now = new Map(all.map((object) => [object.metadata.uid ?? "", JSON.stringify(object)]));
  if (now.size !== last.size) yield `${now.size} objects, ${last.size} by the log`;
  for (const [uid, text] of last)
    if (now.get(uid) !== text) yield `${text} is not what the log says: ${String(now.get(uid))}`;
}

/** Nothing waits, and looking at everything again changes nothing. */
export function* restProblems(world: World): Generator<string> {
  const { revision } = world.cluster.registry.store;
  const expectSame = function* (when: string, counts: (object: KubeObject) => boolean): Generator<string> {
    world.runUntilQuiet();
    for (const { object, type } of world.changes.slice(revision)) {
      if (counts(object)) yield `${when}: ${type} ${called(object)}`;
    }
    const waiting = world.cluster.runtime.pending();
    if (waiting.length > 0) yield `${when}: ${waiting.length} requests wait`;
  };
  yield* expectSame("at rest", () => true);
  world.reopen();
  yield* expectSame("after waking", () => true);
  world.replay();
  yield* expectSame("after a replay of all changes", (object) => !isTriedAgain(object));
}

/** A pod that waits for a node is tried again then, with an event and perhaps another reason. */
function isTriedAgain(object: KubeObject): boolean {
  return object.kind === "Event" || (object.kind === "Pod" && (object as Pod).spec.nodeName === undefined);
}
