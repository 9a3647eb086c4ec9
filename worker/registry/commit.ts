// Commits a write: stores the object's next state with its index values and its cause, and updates the object's companions. These are the
// objects that the API server maintains for it: for a Service, its IPAddresses.
import { assert } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { Companion, Kind } from "../kinds/kind.ts";
import { causeText } from "../store/cause.ts";
import type { Change } from "../store/change.ts";
import type { Key } from "../store/index-by-owner.ts";
import type { Write } from "../store/store.ts";
import { fillObjectMetaSystemFields } from "./metadata.ts";
import { updateManagedFields } from "./managed-fields.ts";
import { type Actor, type Registry, canonical, draftOf, keyOfObject } from "./registry.ts";

/**
 * Stores a new object without checking for an existing one. Throws `NameTaken` if there is one. Must not be called for kinds with
 * companions.
 */
export function commitNew(registry: Registry, kind: Kind, key: Key, next: KubeObject, actor: Actor): Change {
  assert(!kind.companions, `${kind.plural} have companions, which would be written first`);
  return commitOne(registry, kind, key, next, actor, true);
}

/** Stores the next state of an object, or deletes it. */
export function commit(registry: Registry, kind: Kind, key: Key, next: KubeObject | null, actor: Actor): Change {
  if (!kind.companions) return commitOne(registry, kind, key, next, actor);
  const previous = registry.store.get(key);
  const before = previous ? kind.companions(previous) : [];
  const after = next ? kind.companions(next) : [];
  const apiServer = asApiServer(actor);
  const newCompanions = difference(after, before);
  // Either there is room for all companions, or nothing is written.
  if (next && newCompanions.length > 0) registry.store.requireQuota(newCompanions.length + (previous ? 0 : 1));
  for (const companion of newCompanions) createCompanion(registry, companion, apiServer);
  const change = commitOne(registry, kind, key, next, actor);
  for (const companion of difference(before, after)) deleteCompanion(registry, companion, apiServer);
  return change;
}

/** Returns an actor for writes of the API server itself (upstream: LoopbackClientConfig) with the same cause. */
export function asApiServer({ origin, auditId, reactsTo }: Actor): Actor {
  const user = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };
  return { user, manager: "kube-apiserver", origin, auditId, reactsTo };
}

function commitOne(
  registry: Registry,
  kind: Kind,
  key: Key,
  next: KubeObject | null,
  actor: Actor,
  isNew = false,
): Change {
  const references = next?.metadata.ownerReferences ?? [];
  // The mark `!` is that of the controlling owner.
  const owners = references.map(({ uid, controller }) => (controller ? `!${uid}` : uid));
  return registry.store.commit({
    key,
    next: next && (kind.conversion?.toStorage(next) ?? next),
    index: { owners, indexValue: (next && kind.indexValue?.(next)) ?? "" },
    cause: causeOf(actor),
    isNew,
    reserve: next ? reserveOf(kind, next, actor) : undefined,
  });
}

function causeOf({ user, origin, auditId, impersonator, subresource, reactsTo }: Actor): string {
  return causeText({
    user: user.name,
    origin,
    ...(auditId === undefined ? {} : { auditId }),
    ...(impersonator === undefined ? {} : { impersonator }),
    ...(subresource ? { subresource } : {}),
    ...(reactsTo === undefined ? {} : { reactsTo }),
  });
}

/**
 * Decides whether a write may use the reserve: storage that users' writes cannot fill, so that a full cluster still works. A terminating
 * object may use it. Controllers may change existing objects, and create those kinds without which nothing works (leases, events).
 */
function reserveOf(kind: Kind, next: KubeObject, { reactsTo }: Actor): Write["reserve"] {
  if (next.metadata.deletionTimestamp) return "all";
  const isController = reactsTo !== undefined;
  if (!isController) return undefined;
  return kind.mayUseReserve?.(next) ? "all" : "changes";
}

function difference(minuend: readonly Companion[], subtrahend: readonly Companion[]): readonly Companion[] {
  const isSame = (a: Companion, b: Companion) => a.kind === b.kind && a.object.metadata.name === b.object.metadata.name;
  return minuend.filter((candidate) => !subtrahend.some((excluded) => isSame(candidate, excluded)));
}

/** Creates a companion. An existing object with its name stays as it is. */
function createCompanion(registry: Registry, { kind, object }: Companion, actor: Actor): void {
  const key = keyOfObject(kind, object);
  if (registry.store.get(key)) return;
  const draft = draftOf(object);
  updateManagedFields(registry, kind, { draft, previous: undefined, subresource: "" }, actor, {});
  fillObjectMetaSystemFields(registry, kind, draft);
  commitOne(registry, kind, key, canonical(kind, draft), actor);
}

/** Deletes a companion. If it has finalizers, it is only marked as deleted. */
function deleteCompanion(registry: Registry, { kind, object }: Companion, actor: Actor): void {
  const key = keyOfObject(kind, object);
  const stored = registry.store.get(key);
  if (!stored || stored.metadata.deletionTimestamp) return;
  if (!stored.metadata.finalizers?.length) {
    commitOne(registry, kind, key, null, actor);
    return;
  }
  const draft = draftOf(stored);
  draft.metadata.deletionTimestamp = rfc3339(registry.clock.nowMs());
  draft.metadata.deletionGracePeriodSeconds = 0;
  commitOne(registry, kind, key, canonical(kind, draft), actor);
}
