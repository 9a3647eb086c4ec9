// Deleting an object: grace, finalizers, preconditions (upstream: registry.Store.Delete and rest.BeforeDelete).
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { parseTime, rfc3339 } from "../../shared/k8s/time.ts";
import type { Kind } from "../kinds/kind.ts";
import type { DeleteQuery } from "./client.ts";
import {
  type Actor,
  admit,
  commit,
  contextOf,
  draftOf,
  keyFor,
  mustRead,
  type Registry,
  type WriteOptions,
} from "./registry.ts";
import { isReleased, store } from "./update.ts";

/** `orphan` and `foregroundDeletion`: the finalizers by which a deletion asks the garbage collector for something. */
const collectorFinalizers = { orphan: "orphan", foreground: "foregroundDeletion" } as const;

export interface Deletion {
  readonly object: KubeObject;
  /** False while grace or finalizers hold the object. */
  readonly removed: boolean;
}

export function remove(
  registry: Registry,
  kind: Kind,
  namespace: string,
  name: string,
  query: DeleteQuery,
  actor: Actor,
  options: WriteOptions = {},
): Deletion {
  const object = mustRead(registry, kind, namespace, name);
  const refusal = kind.refusesDeletion?.(object);
  if (refusal) throw ApiError.forbidden(kind.groupResource, name, refusal);
  checkPreconditions(kind, object, query);
  admit(registry, "validate", {
    operation: "DELETE",
    kind,
    subresource: "",
    namespace,
    name,
    object: undefined,
    previous: object,
    user: actor.user,
    dryRun: options.dryRun ?? false,
    context: contextOf(registry, actor),
    warn: (message) => options.warn?.(message),
  });
  const draft = draftOf(object);
  markFinalizers(kind, draft, query);
  markDeletion(registry, kind, draft, query);
  if (isReleased(kind, draft)) {
    const key = keyFor(kind, namespace, name);
    if (options.dryRun) return { object: draft, removed: true };
    return { object: commit(registry, kind, key, null, actor).object, removed: true };
  }
  return { object: store(registry, kind, draft, object, actor, options), removed: false };
}

function checkPreconditions(kind: Kind, object: KubeObject, { uid, resourceVersion }: DeleteQuery): void {
  const { name = "", ...meta } = object.metadata;
  if (uid !== undefined && uid !== meta.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${meta.uid ?? ""}`;
    throw ApiError.conflict(kind.groupResource, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${meta.resourceVersion ?? ""}`;
    throw ApiError.conflict(kind.groupResource, name, why);
  }
}

/** Upstream: `deletionFinalizersForGarbageCollection`. */
function markFinalizers(kind: Kind, draft: KubeObject, { propagation }: DeleteQuery): void {
  const { orphan, foreground } = collectorFinalizers;
  const old = draft.metadata.finalizers ?? [];
  const policy = propagation ?? inherited(kind, old);
  const rest = old.filter((one) => one !== orphan && one !== foreground);
  if (policy === "Orphan") rest.push(orphan);
  if (policy === "Foreground") rest.push(foreground);
  if (rest.length > 0) draft.metadata.finalizers = rest;
  else delete draft.metadata.finalizers;
}

function inherited(kind: Kind, finalizers: readonly string[]): DeleteQuery["propagation"] {
  if (finalizers.includes(collectorFinalizers.orphan)) return "Orphan";
  if (finalizers.includes(collectorFinalizers.foreground)) return "Foreground";
  return kind.orphansByDefault ? "Orphan" : "Background";
}

/** Sets the time of deletion, or brings it forward when a shorter grace is asked (never back). */
function markDeletion(registry: Registry, kind: Kind, draft: KubeObject, query: DeleteQuery): void {
  const meta = draft.metadata;
  const nowMs = registry.clock.nowMs();
  if (meta.deletionTimestamp) {
    const left = meta.deletionGracePeriodSeconds ?? 0;
    const wanted = query.gracePeriodSeconds;
    if (!kind.gracePeriodSeconds || wanted === undefined || wanted >= left) return;
    const grace = kind.gracePeriodSeconds(draft, wanted);
    meta.deletionTimestamp = rfc3339(parseTime(meta.deletionTimestamp) - (left - grace) * 1000);
    meta.deletionGracePeriodSeconds = grace;
    return;
  }
  const grace = kind.gracePeriodSeconds?.(draft, query.gracePeriodSeconds) ?? 0;
  meta.deletionTimestamp = rfc3339(nowMs + grace * 1000);
  meta.deletionGracePeriodSeconds = grace;
  // A graceful deletion counts as a change of what is wanted.
  if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1;
  kind.deletion?.begin(draft);
}
