// The garbage collector: deletes what lost its last owner, and carries out foreground and orphaning deletions.
//
// There is no graph to keep: who depends on an object is asked of the store's index when the object changes, and whether an
// owner lives is read at that moment. An object that has neither owners nor a collector's finalizer costs no request.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { type Controller, type Request, type Watch, defineController, watch } from "../../runtime/controller.ts";
import {
  attemptToDeleteItem,
  processDeletingDependentsItem,
  attemptToOrphanWorker,
  isAwaitingDependents,
  isOrphaning,
  ownerOf,
} from "./deletion.ts";

const defaultIgnoredResources: readonly string[] = ["events", "events.events.k8s.io"];

/** The garbage collector of a cluster that stores these kinds. */
export function garbageCollector(kinds: readonly Kind[]): Controller {
  return defineController({
    name: "garbage-collector-controller",
    user: "system:serviceaccount:kube-system:generic-garbage-collector",
    component: "garbage-collector-controller",
    watches: kinds.filter(isCollected).map(collectionWatch),
    watchesOf: (kind) => (isCollected(kind) ? [collectionWatch(kind)] : []),
    reconcile(request, { client, event }) {
      const found = requestedObject(request, client);
      if (!found) return;
      if (isOrphaning(found.object)) return attemptToOrphanWorker(client, found) ? undefined : { afterMs: 0 };
      if (isAwaitingDependents(found.object)) processDeletingDependentsItem(client, found);
      else if (!found.object.metadata.deletionTimestamp) attemptToDeleteItem(client, found, event);
      return undefined;
    },
  });
}

function isCollected(kind: Kind): boolean {
  const known = ["delete", "list", "watch"].every((verb) => kind.verbs.some((one) => one === verb));
  return known && kind.conversion?.hub === undefined && !defaultIgnoredResources.includes(kind.resource);
}

function collectionWatch(kind: Kind): Watch {
  return watch<KubeObject>(kind, (next, previous, client) => {
    if (!next) return previous ? afterRemoval(previous, client) : [];
    return afterWrite(kind, next, previous, client);
  });
}

/** A removed object leaves dependents behind, and may have been what its owner waited for. */
function* afterRemoval(removed: KubeObject, client: Client): Generator<Request> {
  for (const { kind, object } of client.dependents(removed.metadata.uid ?? "")) yield objectRequest(kind, object);
  yield* waitingOwners(removed, removed.metadata.ownerReferences ?? [], client);
}

function* afterWrite(
  kind: Kind,
  next: KubeObject,
  previous: KubeObject | undefined,
  client: Client,
): Generator<Request> {
  if (isOrphaning(next) && !(previous && isOrphaning(previous))) yield objectRequest(kind, next);
  if (isAwaitingDependents(next) && !(previous && isAwaitingDependents(previous))) {
    for (const { kind: one, object } of client.dependents(next.metadata.uid ?? "")) yield objectRequest(one, object);
    yield objectRequest(kind, next);
  }
  const owners = next.metadata.ownerReferences ?? [];
  const before = previous?.metadata.ownerReferences ?? [];
  if (owners.length === 0 && before.length === 0) return;
  if (previous && JSON.stringify(owners) === JSON.stringify(before)) return;
  yield* waitingOwners(
    next,
    before.filter((one) => isLetGo(one, owners)),
    client,
  );
  if (owners.some((reference) => !isAtRest(next, reference, client))) yield objectRequest(kind, next);
}

/** Whether a reference that was there no longer holds up a foreground deletion. */
function isLetGo(old: OwnerReference, owners: readonly OwnerReference[]): boolean {
  return (
    old.blockOwnerDeletion === true && !owners.some((one) => one.uid === old.uid && one.blockOwnerDeletion === true)
  );
}

/** An owner that is there and not waiting asks nothing of its dependents. */
function isAtRest(dependent: KubeObject, reference: OwnerReference, client: Client): boolean {
  const owner = ownerOf(dependent, reference, client);
  return owner.state === "solid";
}

/** Those of the referenced owners whose deletion waits for their dependents. */
function* waitingOwners(
  dependent: KubeObject,
  references: readonly OwnerReference[],
  client: Client,
): Generator<Request> {
  for (const reference of references) {
    const owner = ownerOf(dependent, reference, client);
    if (owner.state === "waiting") yield objectRequest(owner.kind, owner.object);
  }
}

/** No name of an object holds a slash, so the first one parts the two. */
function objectRequest(kind: Kind, object: KubeObject): Request {
  return { namespace: object.metadata.namespace ?? "", name: `${kind.resource}/${object.metadata.name ?? ""}` };
}

/** The object that a request names, if it is still there. */
function requestedObject(request: Request, client: Client): { kind: Kind; object: KubeObject } | undefined {
  const slash = request.name.indexOf("/");
  const resource = request.name.slice(0, slash);
  const kind = client.kinds().find((one) => one.resource === resource);
  const object = kind && client.get(kind, request.namespace, request.name.slice(slash + 1));
  return kind && object ? { kind, object } : undefined;
}
