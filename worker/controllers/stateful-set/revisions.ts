// The revisions of a StatefulSet: the current one, the update one, and the history.
import type { ControllerRevision, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { controllerRevisions } from "../../kinds/apps/controller-revision.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";
import type { Client } from "../../registry/client.ts";
import { newControllerRef } from "../common/controller-ref.ts";
import { safeEncodeString } from "../common/pod-hash.ts";
import {
  byRevision,
  dataText,
  deleteRevision,
  isSameTemplate,
  setRevision,
  templatePatch,
} from "../common/revisions.ts";
import { revisionOf } from "./identity.ts";

const controllerRevisionHashLabel = "controller.kubernetes.io/hash";
/** The maximum length of the prefix, so that the name with a hash is not too long. */
const longestPrefix = 223;

export interface Revisions {
  readonly all: readonly ControllerRevision[];
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

export function getStatefulSetRevisions(
  client: Client,
  set: StatefulSet,
  owned: readonly ControllerRevision[],
): Revisions {
  const all = [...owned].sort(byRevision);
  const data = templatePatch(set.spec.template, client.release);
  const latest = all.at(-1);
  const equal = all.filter((candidate) => isSameTemplate(candidate.data, data)).at(-1);
  let collisionCount = set.status.collisionCount ?? 0;
  let update: ControllerRevision;
  if (latest && equal && isSameTemplate(latest.data, data)) {
    update = latest;
  } else if (latest && equal) {
    // In a rollback, the old revision becomes the newest.
    update = setRevision(client, equal, latest.revision + 1);
  } else {
    [update, collisionCount] = createRevision(client, set, data, (latest?.revision ?? 0) + 1);
  }
  const current = all.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update;
  return { all, current, update, collisionCount };
}

/** Deletes the oldest unused revisions. */
export function truncateHistory(
  client: Client,
  set: StatefulSet,
  { all, current, update }: Revisions,
  pods: readonly Pod[],
): void {
  const limit = set.spec.revisionHistoryLimit ?? 10;
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
  const history = all.filter(({ metadata }) => !live.has(metadata.name ?? ""));
  if (limit < 0) return;
  for (const revision of history.slice(0, Math.max(0, history.length - limit))) deleteRevision(client, revision);
}

/** Creates a revision. A different revision with its name is a collision: the next count gives another name. */
function createRevision(
  client: Client,
  set: StatefulSet,
  data: unknown,
  revision: number,
): readonly [ControllerRevision, number] {
  const { namespace = "", name: setName = "", annotations = {} } = set.metadata;
  const text = dataText(data);
  const first = set.status.collisionCount ?? 0;
  const labels = {
    ...set.spec.template.metadata.labels,
    [controllerRevisionHashLabel]: hashControllerRevision(text, first),
  };
  for (let count = first; ; count++) {
    const name = `${setName.slice(0, longestPrefix)}-${hashControllerRevision(text, count)}`;
    const ownerReferences = [newControllerRef(set, statefulSets)];
    try {
      const metadata = { name, namespace, labels, annotations, ownerReferences };
      return [client.create(controllerRevisions, { metadata, data, revision }), count];
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
      const existing = must(client.get(controllerRevisions, namespace, name), name);
      if (isSameTemplate(existing.data, data)) return [existing, count];
    }
  }
}

/** Returns upstream's value: FNV-1 of the data and the count. */
export function hashControllerRevision(text: string, collisionCount: number): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${text}${collisionCount}`)) {
    hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  }
  return safeEncodeString(String(hash));
}
