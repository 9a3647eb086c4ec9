// The three operations of the garbage collector: collect an object, finish its foreground deletion, orphan its dependents.
import { limits } from "../../../shared/base/limits.ts";
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { DeleteQuery } from "../../../shared/k8s/delete-options.ts";
import type { Client } from "../../registry/client.ts";
import type { EventRecorder } from "../../runtime/events.ts";

export interface Found {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Deletes an object without owners, or removes references to absent owners. */
export function attemptToDeleteItem(client: Client, { kind, object }: Found, event: EventRecorder): void {
  const references = object.metadata.ownerReferences ?? [];
  const owners = references.map((reference) => ({ reference, ...ownerOf(object, reference, client) }));
  for (const owner of owners) {
    if (owner.state === "dangling") reportForeignOwner(client, object, owner.reference, owner.kind, event);
    if (owner.state === "unknown") reportNamespacedOwner(client, object, owner.reference, event);
  }
  if (owners.length === 0 || owners.some(({ state }) => state === "unknown")) return;
  const gone = owners.filter(({ state }) => state !== "solid").map(({ reference }) => reference.uid);
  if (gone.length < owners.length) {
    if (gone.length > 0) writeOwners(client, kind, object, without(references, gone));
    return;
  }
  const query = { ...(object.metadata.uid ? { uid: object.metadata.uid } : {}) };
  const { namespace = "", name = "" } = object.metadata;
  const uid = object.metadata.uid ?? "";
  const waited = owners.some(({ state }) => state === "waiting");
  if (!waited || !hasDependent(client, uid, () => true)) {
    client.tryDelete(kind, namespace, name, { ...query, propagation: ownPolicy(object) });
    return;
  }
  // A dependent that waits for its own dependents indicates a cycle. The references stop blocking the owners, or none would ever be
  // removed.
  if (hasDependent(client, uid, isAwaitingDependents)) {
    writeOwners(
      client,
      kind,
      object,
      references.map(({ blockOwnerDeletion: _, ...rest }) => ({ ...rest, blockOwnerDeletion: false })),
    );
  }
  client.tryDelete(kind, namespace, name, { ...query, propagation: "Foreground" });
}

/** Finishes a foreground deletion. Remaining dependents are collected by their own requests. */
export function processDeletingDependentsItem(client: Client, { kind, object }: Found): void {
  const uid = object.metadata.uid ?? "";
  const blocks = (reference: OwnerReference) => reference.uid === uid && reference.blockOwnerDeletion === true;
  const blocking = (dependent: KubeObject) =>
    isInReach(kind, object, dependent) && dependent.metadata.ownerReferences?.some(blocks) === true;
  if (!hasDependent(client, uid, blocking)) removeFinalizer(client, { kind, object }, foregroundFinalizer);
}

/** Reports whether there is a matching dependent. Reads no more dependents than needed, since there may be many. */
function hasDependent(client: Client, uid: string, which: (object: KubeObject) => boolean): boolean {
  for (const { object } of client.dependents(uid)) if (which(object)) return true;
  return false;
}

/** Orphans dependents. Returns false if there are more. */
export function attemptToOrphanWorker(client: Client, { kind, object }: Found): boolean {
  const uid = object.metadata.uid ?? "";
  let done = 0;
  for (const dependent of client.dependents(uid)) {
    if (done++ === limits.writesPerTurn) return false;
    const references = dependent.object.metadata.ownerReferences ?? [];
    writeOwners(client, dependent.kind, dependent.object, without(references, [uid]));
  }
  removeFinalizer(client, { kind, object }, orphanFinalizer);
  return true;
}

/** Reports whether a dependent can reference this owner: a namespaced owner only in its own namespace. */
function isInReach(kind: Kind, owner: KubeObject, dependent: KubeObject): boolean {
  return !kind.namespaced || owner.metadata.namespace === dependent.metadata.namespace;
}

/** Returns the deletion policy that the object's finalizers request. */
function ownPolicy({ metadata }: KubeObject): DeleteQuery["propagation"] {
  if (metadata.finalizers?.includes(orphanFinalizer)) return "Orphan";
  return metadata.finalizers?.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

function without(references: readonly OwnerReference[], uids: readonly string[]): readonly OwnerReference[] {
  return references.filter(({ uid }) => !uids.includes(uid));
}

function writeOwners(client: Client, kind: Kind, object: KubeObject, owners: readonly OwnerReference[]): void {
  client.update(kind, { ...object, metadata: { ...object.metadata, ownerReferences: owners } });
}

function removeFinalizer(client: Client, { kind, object }: Found, finalizer: string): void {
  const finalizers = (object.metadata.finalizers ?? []).filter((candidate) => candidate !== finalizer);
  client.update(kind, { ...object, metadata: { ...object.metadata, finalizers } });
}

/** Records that the owner exists only in another namespace. Upstream reports this before it treats the owner as absent. */
function reportForeignOwner(
  client: Client,
  object: KubeObject,
  reference: OwnerReference,
  kind: Kind,
  event: EventRecorder,
): void {
  if (!kind.namespaced) return;
  const lives = client.named(kind, reference.name).some(({ metadata }) => metadata.uid === reference.uid);
  if (lives) reportReference(object, reference, event);
}

/** Records that a cluster-scoped object has a namespaced owner. */
function reportNamespacedOwner(
  client: Client,
  object: KubeObject,
  reference: OwnerReference,
  event: EventRecorder,
): void {
  const kind = client.kindOf(reference.apiVersion, reference.kind);
  if (kind) reportForeignOwner(client, object, reference, kind, event);
}

function reportReference(
  object: KubeObject,
  { apiVersion, kind, name, uid }: OwnerReference,
  event: EventRecorder,
): void {
  const namespace = object.metadata.namespace ?? "";
  const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const message = `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`;
  event(object, "Warning", "OwnerRefInvalidNamespace", message);
}

const foregroundFinalizer = "foregroundDeletion";
const orphanFinalizer = "orphan";

type Owner =
  /** The owner exists and is not being deleted in the foreground. */
  | { readonly state: "solid" }
  /** The owner is being deleted after its blocking dependents. */
  | { readonly state: "waiting"; readonly kind: Kind; readonly object: KubeObject }
  /** No object with this kind, name and uid exists. */
  | { readonly state: "dangling"; readonly kind: Kind }
  /** The kind is not served, or this dependent cannot reference it. */
  | { readonly state: "unknown" };

/** Classifies one reference (upstream's `isDangling` and `classifyReferences`). */
export function ownerOf(dependent: KubeObject, reference: OwnerReference, client: Client): Owner {
  const kind = client.kindOf(reference.apiVersion, reference.kind);
  const namespace = dependent.metadata.namespace ?? "";
  // A cluster-scoped object cannot reference a namespaced owner. Upstream does not delete it.
  if (!kind || (kind.namespaced && namespace === "")) return { state: "unknown" };
  const object = client.get(kind, kind.namespaced ? namespace : "", reference.name);
  if (!object || object.metadata.uid !== reference.uid) return { state: "dangling", kind };
  return isAwaitingDependents(object) ? { state: "waiting", kind, object } : { state: "solid" };
}

/** Reports whether an object is being deleted in the foreground. */
export function isAwaitingDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foregroundFinalizer) === true;
}

/** Reports whether an object is being deleted with orphaned dependents. */
export function isOrphaning({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(orphanFinalizer) === true;
}
