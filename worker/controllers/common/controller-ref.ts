// Ownership by controllerRef: adopts matching orphans and releases objects that no longer match (upstream: ControllerRefManager).
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { Selector } from "../../../shared/k8s/selectors/labels.ts";
import { type Draft, type KubeObject, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Kind } from "../../kinds/kind.ts";

export function newControllerRef(owner: KubeObject, kind: Kind): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

type Client = ReconcileContext["client"];

export interface Owner {
  readonly object: KubeObject;
  readonly kind: Kind;
  readonly selector: Selector;
}

export interface Claim<T extends KubeObject> {
  /** Whether this is the first reconcile, which searches for orphans. Later orphans are handled by an adoption controller. */
  readonly isFirstTime: boolean;
  /** Limits the controlled objects that are checked. Default: all. */
  among?(candidate: T): boolean;
  /** Reports whether an object satisfies conditions beyond the selector. */
  belongs?(candidate: T): boolean;
  /** The finalizer that is added on adoption. */
  readonly finalizer?: string;
}

/** Returns the objects that belong to the owner. Releases objects that no longer match, and adopts orphans that do. */
export function claim<T extends KubeObject>(client: Client, kind: Kind<T>, owner: Owner, claims: Claim<T>): T[] {
  const { object, selector } = owner;
  const { uid = "", namespace = "" } = object.metadata;
  const { among = () => true, belongs = () => true, finalizer } = claims;
  const controlled: T[] = [];
  for (const candidate of client.controlledBy(kind, uid).filter(among)) {
    if (selector.matches(candidate.metadata.labels) && belongs(candidate)) controlled.push(candidate);
    else if (!isBeingDeleted(object)) release(client, kind, candidate, uid);
  }
  if (!claims.isFirstTime || isBeingDeleted(object)) return controlled;
  const orphans: T[] = [];
  for (const orphan of client.orphans(kind, namespace)) {
    if (selector.matches(orphan.metadata.labels) && !isBeingDeleted(orphan) && among(orphan) && belongs(orphan))
      orphans.push(orphan);
  }
  return [
    ...controlled,
    ...orphans.map((orphan) => adopt(client, kind, orphan, newControllerRef(object, owner.kind), finalizer)),
  ];
}

/** Adopts an orphan, and adds the finalizer if there is one. */
export function adopt<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  orphan: T,
  reference: OwnerReference,
  finalizer?: string,
): T {
  const otherReferences = (orphan.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  return client.update(kind, withOwners(orphan, [...otherReferences, reference], finalizer));
}

/** Releases an object. Upstream ignores NotFound, and Invalid (the object was recreated with the same name). */
function release<T extends KubeObject>(client: Client, kind: Kind<T>, object: T, ownerUid: string): void {
  const otherReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== ownerUid);
  try {
    client.update(kind, withOwners(object, otherReferences));
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 422)) throw error;
  }
}

function withOwners<T extends KubeObject>(
  object: T,
  ownerReferences: readonly OwnerReference[],
  finalizer?: string,
): Draft<T> {
  const { finalizers = [] } = object.metadata;
  const finalizerMetadata =
    finalizer && !finalizers.includes(finalizer) ? { finalizers: [...finalizers, finalizer] } : {};
  // TypeScript cannot check a Draft of a type parameter. This is `object` with other owners.
  return { ...object, metadata: { ...object.metadata, ownerReferences, ...finalizerMetadata } } as Draft<T>;
}
