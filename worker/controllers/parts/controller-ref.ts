// Ownership by controllerRef: adopting orphans that match, releasing what matches no longer (upstream: ControllerRefManager).
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { Selector } from "../../../shared/k8s/labels.ts";
import { type Draft, type KubeObject, controllerOf, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Kind } from "../../kinds/kind.ts";

/** Upstream: `metav1.NewControllerRef`. */
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

/** The objects that the owner may count as its own, after releasing those of `owned` that its selector no longer matches. */
export function keepMatching<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  owner: Owner,
  owned: readonly T[],
): T[] {
  const { object, selector } = owner;
  const kept: T[] = [];
  for (const one of owned) {
    if (selector.matches(one.metadata.labels)) kept.push(one);
    else if (!isBeingDeleted(object)) release(client, kind, one, object.metadata.uid ?? "");
  }
  return kept;
}

/** Adopts every orphan of the owner's namespace that its selector matches. A scan: for an owner that is seen for the first time. */
export function adoptMatching<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  owner: Owner,
  when: (orphan: T) => boolean,
  finalizer?: string,
): T[] {
  if (isBeingDeleted(owner.object)) return [];
  const { namespace = "" } = owner.object.metadata;
  return client
    .list(kind, { namespace, labels: owner.selector })
    .filter((one) => !controllerOf(one) && !isBeingDeleted(one) && when(one))
    .map((one) => adopt(client, kind, one, newControllerRef(owner.object, owner.kind), finalizer));
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
