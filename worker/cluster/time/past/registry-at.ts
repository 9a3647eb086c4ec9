// The registry of a cluster as of a moment of its past.
import { ApiError } from "../../../../shared/k8s/status.ts";
import { parseTime } from "../../../../shared/k8s/time.ts";
import type { Registry } from "../../../registry/registry.ts";
import { PastStore, revisionAt, timeOfRevision } from "../../../store/past-store.ts";
import type { Sql } from "../../../store/sql.ts";

const timeShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

export interface Moment {
  readonly revision: number;
  readonly atMs: number;
}

/**
 * Returns the revision and the time of a moment: a resource version, or a time of the cluster's clock. Throws `ApiError` if the text is
 * neither, if the moment has not come yet, or if history does not go back to it.
 */
export function momentOf(sql: Sql, { store, clock }: Registry, moment: string): Moment {
  if (/^\d{1,15}$/.test(moment)) {
    const revision = Number(moment);
    if (revision > store.revision)
      throw ApiError.badRequest(`at: there is no revision ${revision} yet: the newest is ${store.revision}`);
    // The objects that the cluster began with have no revisions of their own.
    const readable = Math.max(revision, store.began);
    return { revision: readable, atMs: timeOfRevision(sql, readable) ?? clock.nowMs() };
  }
  const atMs = timeShape.test(moment) ? parseTime(moment) : Number.NaN;
  if (Number.isNaN(atMs))
    throw ApiError.badRequest("at: must be a resource version, or a time such as 2026-01-31T12:00:00Z");
  if (atMs > clock.nowMs())
    throw ApiError.badRequest(`at: that time has not come yet: it is ${new Date(clock.nowMs()).toISOString()}`);
  return { revision: revisionAt(sql, store, atMs).revision, atMs };
}

/** Returns a registry that reads what was there at a moment. Who may read it is decided as of now. */
export function registryAt(sql: Sql, registry: Registry, moment: string): Registry {
  const { revision, atMs } = momentOf(sql, registry, moment);
  return { ...registry, store: new PastStore(sql, registry.store, revision), clock: { nowMs: () => atMs } };
}
