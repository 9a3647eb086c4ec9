// Invariants of every object and of the log in an idle cluster.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { World } from "../world.ts";
import { called, type View } from "./view.ts";

/** Nothing lives on in an absent namespace, or after its owner; nothing is still going. */
export function* belongingProblems({ all }: View): Generator<string> {
  const namespaces = new Set(all.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name));
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  if (uids.size !== all.length) yield `${all.length} objects have ${uids.size} uids`;
  for (const object of all) {
    const { namespace, ownerReferences = [], deletionTimestamp } = object.metadata;
    if (namespace !== undefined && !namespaces.has(namespace)) yield `${called(object)} has no namespace`;
    // A claim stays while a pod uses it, and its volume with it.
    const isUsed = object.kind === "PersistentVolumeClaim" || object.kind === "PersistentVolume";
    if (deletionTimestamp !== undefined && !isUsed) yield `${called(object)} is still going`;
    for (const owner of ownerReferences)
      if (!uids.has(owner.uid)) yield `${called(object)} has no owner ${owner.kind} ${owner.name}`;
  }
}

/** Checks that the log equals the observed changes without a gap, and that the objects have its last state. */
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
  yield* expectSame("after waking", (object) => !isTriedAgain(object));
  world.replay();
  yield* expectSame("after a replay of all changes", (object) => !isTriedAgain(object));
}

/** Reports whether the object is reconciled again after a reset: a failing action is retried and reported once more. */
function isTriedAgain(object: KubeObject): boolean {
  return object.kind === "Event" || (object.kind === "Pod" && (object as Pod).spec.nodeName === undefined);
}
