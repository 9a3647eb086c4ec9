// Deleting an object, by grace, finalizers and preconditions: what that does at each step of a write (upstream: registry.Store.Delete,
// rest.BeforeDelete).
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

/** The finalizers by which a deletion asks the garbage collector for something. */
const finalizerOrphanDependents = "orphan";
const finalizerDeleteDependents = "foregroundDeletion";

export interface Deletion {
  readonly object: KubeObject;
  /** False while grace or finalizers hold the object. */
  readonly removed: boolean;
}

export interface RemoveOptions extends WriteOptions {
  /** It is one of many that are deleted by one request. */
  readonly ofCollection?: boolean;
  /** Admission was asked about what led to it: an eviction. */
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
  // What is there, from the first step on, and what it is once it is marked.
  let object: KubeObject;
  let draft: KubeObject;
  const attributes = (): Attributes => ({
    operation: "DELETE",
    kind,
    subresource: "",
    namespace,
    // Of a collection, nobody has named one.
    name: options.ofCollection ? "" : name,
    object: undefined,
    oldObject: object,
  });
  return write<Deletion>(
    registry,
    actor,
    { ...options, given: options.given ?? givenBy(query) },
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
        // Two revisions, as upstream's: watchers see the object marked before it goes.
        if (isMarked) commit(registry, kind, key, canonical(kind, draft), actor);
        return { object: commit(registry, kind, key, null, actor).object, removed: true };
      },
    },
  );
}

/** What a client in this process asks for, as a request would say it. */
function givenBy({ uid, resourceVersion, gracePeriodSeconds, propagation }: DeleteQuery): JsonObject {
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    ...(propagation ? { propagationPolicy: propagation } : {}),
  };
}

function checkPreconditions(kind: Kind, object: KubeObject, { uid, resourceVersion }: DeleteQuery): void {
  const { name = "", ...meta } = object.metadata;
  const differs = (what: string, wanted: string, found = "") =>
    ApiError.conflict(
      kind.groupResource,
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    );
  if (kind.deletion?.finalization && uid !== undefined && uid !== meta.uid) throw differs("UID", uid, meta.uid);
  if (kind.deletion?.finalization && resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    throw differs("ResourceVersion", resourceVersion, meta.resourceVersion);
  }
  refuseOtherThan(object.metadata, { uid, resourceVersion }, kind.groupKind);
}

/** A grace that runs may only be made shorter; nothing else of a deletion changes while it does. */
function isPendingGraceful({ metadata }: KubeObject, query: DeleteQuery): boolean {
  const left = metadata.deletionGracePeriodSeconds ?? 0;
  if (left === 0) return false;
  const wanted = requestedGrace(query);
  return wanted === undefined || wanted >= left;
}

/** A negative grace is one second. */
function requestedGrace({ gracePeriodSeconds: wanted }: DeleteQuery): number | undefined {
  return wanted !== undefined && wanted < 0 ? 1 : wanted;
}

function deletionFinalizersForGarbageCollection(kind: Kind, old: readonly string[], query: DeleteQuery): string[] {
  const { propagation, deletesDependents } = query;
  // What is emptied first waits for its dependents wherever they are not orphaned in so many words.
  const isForeground = kind.deletion?.finalization !== undefined && deletesDependents === true;
  const policy = isForeground ? "Foreground" : (propagation ?? inherited(kind, old));
  const rest = old.filter((one) => one !== finalizerOrphanDependents && one !== finalizerDeleteDependents);
  if (policy === "Orphan") rest.push(finalizerOrphanDependents);
  if (policy === "Foreground") rest.push(finalizerDeleteDependents);
  return rest;
}

function inherited(kind: Kind, finalizers: readonly string[]): DeleteQuery["propagation"] {
  if (finalizers.includes(finalizerOrphanDependents)) return "Orphan";
  if (finalizers.includes(finalizerDeleteDependents)) return "Foreground";
  return kind.deletion?.orphansDependents ? "Orphan" : "Background";
}

/** Reports whether a deletion without grace marks the object first: once, and only an object whose kind has graceful deletion. */
function needsGracefulMark(kind: Kind, { metadata }: KubeObject): boolean {
  if (!kind.deletion?.gracePeriodSeconds) return false;
  return !metadata.deletionTimestamp || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

/** Sets the time of deletion, or brings it forward when a shorter grace is asked. */
function beforeDelete(registry: Registry, kind: Kind, draft: KubeObject, query: DeleteQuery): void {
  const meta = draft.metadata;
  const nowMs = registry.clock.nowMs();
  if (meta.deletionTimestamp) {
    kind.deletion?.finalization?.again?.(draft);
    const left = meta.deletionGracePeriodSeconds ?? 0;
    const wanted = requestedGrace(query);
    if (left === 0 || wanted === undefined) return;
    const endMs = parseTime(meta.deletionTimestamp) - (left - wanted) * 1000;
    meta.deletionTimestamp = rfc3339(Math.max(endMs, nowMs));
    // What is over already still ends gracefully, in the shortest time that does.
    meta.deletionGracePeriodSeconds = endMs < nowMs ? Math.min(wanted, 1) : wanted;
    return;
  }
  const grace = kind.deletion?.gracePeriodSeconds?.(draft, requestedGrace(query)) ?? 0;
  meta.deletionTimestamp = rfc3339(nowMs + grace * 1000);
  // What is emptied first has no grace.
  if (!kind.deletion?.finalization) meta.deletionGracePeriodSeconds = grace;
  // A graceful deletion counts as a change of what is wanted.
  if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1;
  kind.deletion?.finalization?.begin(draft);
}
