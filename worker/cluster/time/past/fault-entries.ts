// The injected faults among the entries of a timeline.
import type { Injection } from "../../../../shared/contract/cluster/faults.ts";
import type { TimelineEntry, TimelineQuery } from "../../../../shared/contract/cluster/past.ts";
import type { PastWrite } from "../../../store/past.ts";
import type { Sql } from "../../../store/sql.ts";
import { newestInjection, readInjections } from "../faults/fault-record.ts";

/** Orders entries by revision. The sort is stable, so a fault stays behind the change of its revision. */
export function byRevision(a: TimelineEntry, b: TimelineEntry): number {
  return a.revision - b.revision;
}

interface InjectionRange {
  /** The revision up to which the client has everything, and the one up to which this step goes. */
  readonly after: number;
  readonly until: number;
  /** The number of the newest injection that the client has. Undefined if it resumes at a revision. */
  readonly injection: number | undefined;
}

/** Returns the injections of a step of a followed timeline, and the number of the newest that the client then has. */
export function injectionStep(
  sql: Sql,
  query: TimelineQuery,
  { after, until, injection }: InjectionRange,
): { readonly entries: readonly TimelineEntry[]; readonly injection: number } {
  const newest = newestInjection(sql);
  const since = injection ?? 0;
  if (since === newest) return { entries: [], injection: newest };
  const reached = readInjections(sql, since).filter(({ revision }) => revision <= until);
  const added = reached.filter(
    (candidate) => isInjectionAsked(candidate, query, [], 0) && (injection !== undefined || candidate.revision > after),
  );
  return { entries: added.map(injectionEntry), injection: reached.at(-1)?.number ?? since };
}

/** Returns the entries of the changes, with the faults that were injected between the first and the last of them or after it. */
export function withInjections(
  sql: Sql,
  query: TimelineQuery,
  writes: readonly PastWrite[],
  isCut: boolean,
  entry: (write: PastWrite) => TimelineEntry,
): TimelineEntry[] {
  const entries = writes.map(entry);
  if (newestInjection(sql) === 0) return entries;
  // Faults before the first change are left out if changes are, too.
  const firstRevision = isCut || query.since !== undefined ? (writes[0]?.revision ?? 0) : 0;
  const injections = readInjections(sql).filter((injection) =>
    isInjectionAsked(injection, query, writes, firstRevision),
  );
  if (injections.length === 0) return entries;
  // A fault of a revision comes after the change of it.
  return [...entries, ...injections.map(injectionEntry)].sort(byRevision);
}

function isInjectionAsked(
  { revision, resource, namespace, name, user }: Injection,
  query: TimelineQuery,
  writes: readonly PastWrite[],
  firstRevision: number,
): boolean {
  if (query.auditId !== undefined || revision < firstRevision) return false;
  if (query.until !== undefined && revision > (writes.at(-1)?.revision ?? 0)) return false;
  if (query.resource !== undefined && query.resource !== resource) return false;
  if (query.namespace !== undefined && query.namespace !== namespace) return false;
  if (query.name !== undefined && query.name !== name) return false;
  return query.user === undefined || query.user === user;
}

function injectionEntry({
  revision,
  at,
  fault,
  effect,
  user,
  verb,
  resource,
  namespace,
  name,
}: Injection): TimelineEntry {
  return {
    ...{ revision, at, change: "fault" as const, resource: resource ?? "", ...(namespace ? { namespace } : {}) },
    ...{ name: name ?? "", user: user ?? "", origin: verb ?? "fault", summary: `fault ${fault}: ${effect}` },
  };
}
