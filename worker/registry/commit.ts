// The commit of a write: the object's next state with its index and its cause, and the companions that the API server keeps for it.
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

/** Stores what nothing stands in the place of, as far as is known; throws `NameTaken` where something does. Not for kinds with companions. */
export function commitNew(registry: Registry, kind: Kind, key: Key, next: KubeObject, actor: Actor): Change {
  assert(!kind.companions, `${kind.plural} have companions, which would be written first`);
  return commitOne(registry, kind, key, next, actor, true);
}

/** Stores the next state, or its absence. */
export function commit(registry: Registry, kind: Kind, key: Key, next: KubeObject | null, actor: Actor): Change {
  if (!kind.companions) return commitOne(registry, kind, key, next, actor);
  const previous = registry.store.get(key);
  const before = previous ? kind.companions(previous) : [];
  const after = next ? kind.companions(next) : [];
  const itself = asApiServer(actor);
  const made = without(after, before);
  // All of it, or nothing.
  if (next && made.length > 0) registry.store.requireRoom(made.length + (previous ? 0 : 1));
  for (const one of made) make(registry, one, itself);
  const change = commitOne(registry, kind, key, next, actor);
  for (const one of without(before, after)) release(registry, one, itself);
  return change;
}

/** The API server, writing by itself (upstream: LoopbackClientConfig) for the same cause. */
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

/** What is on its way out may still be changed, and the cluster's own parts keep going: with what is there, and with their notes. */
function reserveOf(kind: Kind, next: KubeObject, { reactsTo }: Actor): Write["reserve"] {
  if (next.metadata.deletionTimestamp) return "all";
  if (reactsTo === undefined) return undefined;
  return kind.mayUseReserve?.(next) ? "all" : "changes";
}

function without(all: readonly Companion[], some: readonly Companion[]): readonly Companion[] {
  const isSame = (a: Companion, b: Companion) => a.kind === b.kind && a.object.metadata.name === b.object.metadata.name;
  return all.filter((one) => !some.some((other) => isSame(one, other)));
}

/** What stands under that name already is left to whoever looks after such objects. */
function make(registry: Registry, { kind, object }: Companion, actor: Actor): void {
  const key = keyOfObject(kind, object);
  if (registry.store.get(key)) return;
  const draft = draftOf(object);
  updateManagedFields(registry, kind, { draft, previous: undefined, subresource: "" }, actor, {});
  fillObjectMetaSystemFields(registry, kind, draft);
  commitOne(registry, kind, key, canonical(kind, draft), actor);
}

/** Removes it, or marks it where finalizers hold it. */
function release(registry: Registry, { kind, object }: Companion, actor: Actor): void {
  const key = keyOfObject(kind, object);
  const found = registry.store.get(key);
  if (!found || found.metadata.deletionTimestamp) return;
  if (!found.metadata.finalizers?.length) {
    commitOne(registry, kind, key, null, actor);
    return;
  }
  const draft = draftOf(found);
  draft.metadata.deletionTimestamp = rfc3339(registry.clock.nowMs());
  draft.metadata.deletionGracePeriodSeconds = 0;
  commitOne(registry, kind, key, canonical(kind, draft), actor);
}
