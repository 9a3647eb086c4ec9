// The revisions of a DaemonSet: finds or creates the current one, and cleans up old ones.
import type { ControllerRevision, DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { controllerRevisions } from "../../kinds/apps/controller-revision.ts";
import { daemonSets } from "../../kinds/apps/daemon-set.ts";
import { pods as podKind } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import { type Owner, newControllerRef } from "../common/controller-ref.ts";
import { computeHash } from "../common/pod-hash.ts";
import {
  byRevision,
  isSameTemplate,
  deleteRevision,
  highestRevision,
  ownRevisions,
  controllerRevisionHashLabelKey,
  setRevision,
  templatePatch,
} from "../common/revisions.ts";

export interface History {
  readonly current: ControllerRevision;
  readonly old: readonly ControllerRevision[];
  /** Whether pods were relabelled, so that earlier reads of them are stale. */
  readonly relabelled: boolean;
}

export function constructHistory(
  client: Client,
  daemonSet: DaemonSet,
  owner: Owner,
  pods: () => readonly Pod[],
): History {
  const isFirstTime = daemonSet.status.observedGeneration === undefined;
  const all = ownRevisions(client, owner, isFirstTime).map((revision) => ensureHashLabel(client, revision));
  const patch = templatePatch(daemonSet.spec.template, client.release);
  const matching = all.filter(({ data }) => isSameTemplate(data, patch)).sort(byRevision);
  const old = all.filter((revision) => !matching.includes(revision));
  const number = highestRevision(old) + 1;
  const [latest, ...duplicates] = matching.reverse();
  if (!latest) return { current: makeRevision(client, daemonSet, patch, number), old, relabelled: false };
  const relabelled = duplicates.length > 0;
  if (relabelled) dedupCurHistories(client, latest, duplicates, pods());
  return { current: latest.revision < number ? setRevision(client, latest, number) : latest, old, relabelled };
}

/** Deletes the oldest unused revisions beyond the limit. */
export function cleanupHistory(client: Client, daemonSet: DaemonSet, old: History["old"], pods: readonly Pod[]): void {
  const surplus = old.length - (daemonSet.spec.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return;
  const live = new Set(pods.map(hashOf));
  const unused = [...old].sort(byRevision).filter((revision) => !live.has(hashOf(revision)));
  for (const revision of unused.slice(0, surplus)) deleteRevision(client, revision);
}

/** Adds the hash label to a revision without one, from its name. */
function ensureHashLabel(client: Client, revision: ControllerRevision): ControllerRevision {
  const { metadata } = revision;
  if (metadata.labels?.[controllerRevisionHashLabelKey] !== undefined) return revision;
  const labels = { ...metadata.labels, [controllerRevisionHashLabelKey]: metadata.name ?? "" };
  return client.update(controllerRevisions, { ...revision, metadata: { ...metadata, labels } });
}

function makeRevision(client: Client, daemonSet: DaemonSet, data: unknown, number: number): ControllerRevision {
  const { metadata, spec, status } = daemonSet;
  const { namespace = "" } = metadata;
  const hash = computeHash(spec.template, status.collisionCount);
  const name = `${metadata.name ?? ""}-${hash}`;
  try {
    return client.create(controllerRevisions, {
      metadata: {
        name,
        namespace,
        labels: { ...spec.template.metadata.labels, [controllerRevisionHashLabelKey]: hash },
        annotations: metadata.annotations ?? {},
        ownerReferences: [newControllerRef(daemonSet, daemonSets)],
      },
      data,
      revision: number,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
    const existing = must(client.get(controllerRevisions, namespace, name), name);
    if (isSameTemplate(existing.data, data)) return existing;
    const collisionCount = (status.collisionCount ?? 0) + 1;
    client.updateStatus(daemonSets, { ...daemonSet, status: { ...status, collisionCount } });
    throw error;
  }
}

/** Merges duplicate revisions of the current template, and relabels their pods. */
function dedupCurHistories(
  client: Client,
  survivor: ControllerRevision,
  duplicates: readonly ControllerRevision[],
  pods: readonly Pod[],
): void {
  const hash = hashOf(survivor);
  const hashes = new Set(duplicates.map(hashOf));
  for (const pod of pods) {
    if (!hashes.has(hashOf(pod))) continue;
    const labels = { ...pod.metadata.labels, [controllerRevisionHashLabelKey]: hash };
    client.update(podKind, { ...pod, metadata: { ...pod.metadata, labels } });
  }
  for (const duplicate of duplicates) deleteRevision(client, duplicate);
}

function hashOf({ metadata }: ControllerRevision | Pod): string {
  return metadata.labels?.[controllerRevisionHashLabelKey] ?? "";
}
