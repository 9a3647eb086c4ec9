// Ownership by controllerRef: adopting orphans that match, releasing what matches no longer (upstream: ControllerRefManager).
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
  /** Orphans are looked for by the first reconcile; later ones come through an adoption controller. */
  readonly isFirstTime: boolean;
  /** Which are looked at; by default all. */
  among?(one: T): boolean;
  /** What must hold beside the selector. */
  belongs?(one: T): boolean;
  /** What an adopted object is held by. */
  readonly finalizer?: string;
}

/** The objects that the owner may count as its own: those that match no longer are released, orphans that do are adopted. */
export function claim<T extends KubeObject>(client: Client, kind: Kind<T>, owner: Owner, claims: Claim<T>): T[] {
  const { object, selector } = owner;
  const { uid = "", namespace = "" } = object.metadata;
  const { among = () => true, belongs = () => true, finalizer } = claims;
  const kept: T[] = [];
  for (const one of client.controlledBy(kind, uid).filter(among)) {
    if (selector.matches(one.metadata.labels) && belongs(one)) kept.push(one);
    else if (!isBeingDeleted(object)) release(client, kind, one, uid);
  }
  if (!claims.isFirstTime || isBeingDeleted(object)) return kept;
  const orphans: T[] = [];
  for (const one of client.orphans(kind, namespace)) {
    if (selector.matches(one.metadata.labels) && !isBeingDeleted(one) && among(one) && belongs(one)) orphans.push(one);
  }
  return [...kept, ...orphans.map((one) => adopt(client, kind, one, newControllerRef(object, owner.kind), finalizer))];
}

/** With a finalizer the adopted object is held by it. */
export function adopt<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  orphan: T,
  reference: OwnerReference,
  finalizer?: string,
): T {
  const others = (orphan.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  return client.update(kind, withOwners(orphan, [...others, reference], finalizer));
}

/** Upstream ignores an object that is gone, and one that is Invalid (recreated under the same name). */
function release<T extends KubeObject>(client: Client, kind: Kind<T>, object: T, ownerUid: string): void {
  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== ownerUid);
  try {
    client.update(kind, withOwners(object, others));
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
  const held = finalizer && !finalizers.includes(finalizer) ? { finalizers: [...finalizers, finalizer] } : {};
  // A Draft of a type parameter cannot be checked member by member; this is `object` with other owners.
  return { ...object, metadata: { ...object.metadata, ownerReferences, ...held } } as Draft<T>;
}
