// The steps of a write for deletion, with grace periods, finalizers and preconditions (upstream: registry.Store.Delete, rest.BeforeDelete).
import { type DeleteQuery, refuseOtherThan } from "../../shared/k8s/delete-options.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { parseTime, rfc3339 } from "../../shared/k8s/time.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { Kind } from "../kinds/kind.ts";
import { commit } from "./commit.ts";
import type { Attributes } from "./admission-chain.ts";
import { type Actor, canonical, draftOf, keyFor, mustRead, type Registry, type WriteOptions } from "./registry.ts";
import { shouldDeleteDuringUpdate, commitUpdate } from "./update.ts";
import { write } from "./write.ts";

/** The finalizers that tell the garbage collector how to treat dependents. */
const finalizerOrphanDependents = "orphan";
const finalizerDeleteDependents = "foregroundDeletion";

export interface Deletion {
  readonly object: KubeObject;
  /** False if a grace period or finalizers delay the removal. */
  readonly removed: boolean;
}

export interface RemoveOptions extends WriteOptions {
  /** Whether the deletion is part of a DELETE of a collection. */
  readonly ofCollection?: boolean;
  /** Skips admission, if it was invoked for the request that led to the deletion: an eviction. */
  readonly skipAdmission?: boolean;
}

export function remove(
  registry: Registry,
  kind: Kind,
  namespace: string,
  name: string,
  query: DeleteQuery,
  actor: Actor,
  options: RemoveOptions = {},
): Deletion {
  // The stored object, and its copy with a deletionTimestamp. `checkRequest` sets the first, `prepare` the second.
  let object: KubeObject;
  let draft: KubeObject;
  const attributes = (): Attributes => ({
    operation: "DELETE",
    kind,
    subresource: "",
    namespace,
    // In a DELETE of a collection, admission receives no name, as upstream.
    name: options.ofCollection ? "" : name,
    object: undefined,
    oldObject: object,
  });
  return write<Deletion>(
    registry,
    actor,
    { ...options, requestOptions: options.requestOptions ?? deleteOptionsOf(query) },
    {
      checkRequest() {
        if (kind.deletion?.orphanWarning && !query.propagation) options.warn?.(kind.deletion.orphanWarning);
        object = mustRead(registry, kind, namespace, name, options.requestKind);
        const refusal = kind.deletion?.refusal?.(object);
        if (refusal) throw ApiError.forbidden(kind.groupResource, name, refusal);
        checkPreconditions(kind, object, query);
        return isPendingGraceful(object, query) ? { object, removed: false } : undefined;
      },
      ...(options.skipAdmission ? {} : { attributes }),
      prepare() {
        draft = draftOf(object);
        const finalizers = deletionFinalizersForGarbageCollection(kind, draft.metadata.finalizers ?? [], query);
        if (finalizers.length > 0) draft.metadata.finalizers = finalizers;
        else delete draft.metadata.finalizers;
        beforeDelete(registry, kind, draft, query);
      },
      commit() {
        if (!shouldDeleteDuringUpdate(kind, draft)) {
          return { object: commitUpdate(registry, kind, draft, object, actor, options), removed: false };
        }
        const isMarked = needsGracefulMark(kind, object);
        if (options.dryRun) return { object: isMarked ? draft : object, removed: true };
        const key = keyFor(kind, namespace, name);
        // The object with the deletionTimestamp gets a revision of its own, as upstream, so watchers see it before the removal.
        if (isMarked) commit(registry, kind, key, canonical(kind, draft), actor);
        return { object: commit(registry, kind, key, null, actor).object, removed: true };
      },
    },
  );
}

/** Returns the DeleteOptions that correspond to the query of an in-process client. */
function deleteOptionsOf({ uid, resourceVersion, gracePeriodSeconds, propagation }: DeleteQuery): JsonObject {
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    ...(propagation ? { propagationPolicy: propagation } : {}),
  };
}

function checkPreconditions(kind: Kind, object: KubeObject, { uid, resourceVersion }: DeleteQuery): void {
  const { name = "", ...meta } = object.metadata;
  const preconditionFailed = (field: string, expected: string, actual = "") =>
    ApiError.conflict(
      kind.groupResource,
      name,
      `Precondition failed: ${field} in precondition: ${expected}, ${field} in object meta: ${actual}`,
    );
  if (kind.deletion?.finalization && uid !== undefined && uid !== meta.uid)
    throw preconditionFailed("UID", uid, meta.uid);
  if (kind.deletion?.finalization && resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    throw preconditionFailed("ResourceVersion", resourceVersion, meta.resourceVersion);
  }
  refuseOtherThan(object.metadata, { uid, resourceVersion }, kind.groupKind);
}

/** Reports whether the deletion changes nothing: a running grace period can only be shortened. */
function isPendingGraceful({ metadata }: KubeObject, query: DeleteQuery): boolean {
  const remaining = metadata.deletionGracePeriodSeconds ?? 0;
  if (remaining === 0) return false;
  const requested = requestedGrace(query);
  return requested === undefined || requested >= remaining;
}

/** Returns the requested grace period. A negative one counts as one second. */
function requestedGrace({ gracePeriodSeconds: requested }: DeleteQuery): number | undefined {
  return requested !== undefined && requested < 0 ? 1 : requested;
}

function deletionFinalizersForGarbageCollection(kind: Kind, old: readonly string[], query: DeleteQuery): string[] {
  const { propagation, deletesDependents } = query;
  // A kind with finalization waits for its dependents, unless the request orphans them explicitly.
  const isForeground = kind.deletion?.finalization !== undefined && deletesDependents === true;
  const policy = isForeground ? "Foreground" : (propagation ?? inheritedPropagation(kind, old));
  const otherFinalizers = old.filter(
    (finalizer) => finalizer !== finalizerOrphanDependents && finalizer !== finalizerDeleteDependents,
  );
  if (policy === "Orphan") otherFinalizers.push(finalizerOrphanDependents);
  if (policy === "Foreground") otherFinalizers.push(finalizerDeleteDependents);
  return otherFinalizers;
}

function inheritedPropagation(kind: Kind, finalizers: readonly string[]): DeleteQuery["propagation"] {
  if (finalizers.includes(finalizerOrphanDependents)) return "Orphan";
  if (finalizers.includes(finalizerDeleteDependents)) return "Foreground";
  return kind.deletion?.orphansDependents ? "Orphan" : "Background";
}

/** Reports whether an immediate deletion must first store a deletionTimestamp. That happens once, for kinds with graceful deletion. */
function needsGracefulMark(kind: Kind, { metadata }: KubeObject): boolean {
  if (!kind.deletion?.gracePeriodSeconds) return false;
  return !metadata.deletionTimestamp || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

/** Sets the deletion timestamp, or moves it to an earlier time for a shorter grace period. */
function beforeDelete(registry: Registry, kind: Kind, draft: KubeObject, query: DeleteQuery): void {
  const meta = draft.metadata;
  const nowMs = registry.clock.nowMs();
  if (meta.deletionTimestamp) {
    kind.deletion?.finalization?.again?.(draft);
    const remaining = meta.deletionGracePeriodSeconds ?? 0;
    const requested = requestedGrace(query);
    if (remaining === 0 || requested === undefined) return;
    const endMs = parseTime(meta.deletionTimestamp) - (remaining - requested) * 1000;
    meta.deletionTimestamp = rfc3339(Math.max(endMs, nowMs));
    // If the new end is in the past, the object still terminates gracefully, within a second at most.
    meta.deletionGracePeriodSeconds = endMs < nowMs ? Math.min(requested, 1) : requested;
    return;
  }
  const grace = kind.deletion?.gracePeriodSeconds?.(draft, requestedGrace(query)) ?? 0;
  meta.deletionTimestamp = rfc3339(nowMs + grace * 1000);
  // Kinds with finalization have no grace period.
  if (!kind.deletion?.finalization) meta.deletionGracePeriodSeconds = grace;
  // A graceful deletion is a change of the desired state, so it raises the generation.
  if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1;
  kind.deletion?.finalization?.begin(draft);
}
