// The state of a cluster as a file: of now, or of a revision that its history still holds. Written in parts, and others have their turn
// between them.
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { StateCertificates, StateMeta, StateRequest } from "../../../shared/state/format.ts";
import { StateWriter } from "../../../shared/state/write-state.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Pending } from "../../runtime/queue.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { KeyAtRevision } from "../../store/current.ts";
import type { Sql } from "../../store/sql.ts";
import type { Cluster } from "../cluster.ts";
import { readClock } from "../time/clock/cluster-clock.ts";
import { editRows } from "../kept-edits.ts";
import { readSettings } from "../settings/settings.ts";

export interface SaveOptions {
  readonly sql: Sql;
  readonly cluster: Pick<Cluster, "registry"> & { readonly runtime: Pick<Runtime, "waiting"> };
  /** The cluster's own. */
  readonly certificates: StateCertificates;
  /** Absent: now. */
  readonly revision?: number | undefined;
}

/**
 * Stops after each part. What the cluster is at the first step is what is written. Throws `ApiError` (410) where history does not reach
 * back to the revision, and `StateFileError` where the file would be too large.
 */
export function* savingState(options: SaveOptions): Generator<void, Uint8Array<ArrayBuffer>, void> {
  const { sql, cluster, certificates } = options;
  const { registry, runtime } = cluster;
  const { store, clock } = registry;
  const revision = options.revision ?? store.revision;
  const keys = store.at(revision);
  const queue = revision === store.revision ? runtime.waiting() : undefined;
  // The owner, a suspension and a pause are not part of the state.
  const { reportsTo: _, suspended: __, paused: ___, ...settings } = readSettings(sql);
  const nowMs = clock.nowMs();
  const rows = editRowsOf(sql, registry, keys);
  const release = store.hold(revision);
  try {
    const writer = new StateWriter(certificates);
    let characters = 0;
    for (const key of keys) {
      if (characters >= limits.statePieceCharacters) {
        yield;
        characters = 0;
        if (revision < store.forgotten) throw ApiError.expired(`revision ${revision} was forgotten meanwhile`);
      }
      const text = store.textAt(key.revision);
      writer.add({ ...key, ...(key.index ?? indexOf(registry, key, text)), text });
      characters += text.length;
    }
    yield;
    const ownClock = readClock(sql);
    const meta: StateMeta = {
      ...{ settings, certificates, rows },
      ...(queue ? { queue: queue.map(requestOf) } : {}),
      ...(ownClock ? { clock: { nowMs, state: ownClock.state, speed: ownClock.speed } } : {}),
    };
    return writer.finish({ revision, madeMs: nowMs, meta });
  } finally {
    release();
  }
}

/** Returns the edits of the existing containers and volumes. For an earlier revision, they are still the current ones. */
function editRowsOf(sql: Sql, { store }: Registry, keys: readonly KeyAtRevision[]): StateMeta["rows"] {
  const all = editRows(sql, { pod: () => true, claim: () => true });
  if (all.length === 0) return all;
  const claims = new Set<string>();
  const uids = new Set<string>();
  for (const { resource, namespace, name, revision } of keys) {
    if (resource === persistentVolumeClaims.resource) claims.add(`${namespace}/${name}`);
    if (resource === nodes.resource) claims.add(`/${name}`);
    // The store has them as objects.
    if (resource === pods.resource) uids.add((JSON.parse(store.textAt(revision)) as KubeObject).metadata.uid ?? "");
  }
  return editRows(sql, { pod: (uid) => uids.has(uid), claim: (name) => claims.has(name) });
}

/** As a commit works it out. */
function indexOf(registry: Registry, { resource }: KeyAtRevision, text: string) {
  // The store has objects.
  const object = JSON.parse(text) as KubeObject;
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid, controller }) => (controller ? `!${uid}` : uid));
  return { owners, indexValue: registry.catalogue.stored(resource)?.indexValue?.(object) ?? "" };
}

function requestOf({ controller, namespace, name, dueMs, attempts, savedState }: Pending): StateRequest {
  return { controller, namespace, name, dueMs, attempts, ...(savedState === undefined ? {} : { savedState }) };
}
