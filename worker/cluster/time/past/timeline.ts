// Builds the timeline of a cluster: the changes of the log with their causes, up to the request that began them.
import { limits } from "../../../../shared/base/limits.ts";
import type {
  Timeline,
  TimelineEntry,
  TimelineQuery,
  TimelineStep,
  TimelineStepQuestion,
} from "../../../../shared/contract/cluster/past.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import { changedFields } from "../../../../shared/state/changed-fields.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { PastChange } from "../../../store/cause.ts";
import type { PastWrite } from "../../../store/past.ts";
import { scannedRowWork, type Store } from "../../../store/store.ts";
import type { Sql } from "../../../store/sql.ts";
import { newestInjection } from "../faults/fault-record.ts";
import { byRevision, injectionStep, withInjections } from "./fault-entries.ts";
import { momentOf } from "./registry-at.ts";
import { isTimelined } from "./timelined.ts";

const rowsAtOnce = 1_000;
/** Work, in microseconds, of reading the key and the cause of a change. */
const readWriteWork = 4;
const summaryFields = 3;
const valueCharacters = 40;

export function timelineOf(sql: Sql, registry: Registry, query: TimelineQuery): Timeline {
  const { store } = registry;
  const [after, before] = rangeOf(sql, registry, query);
  const { writes, isCut } = readWrites(store, after, before);
  const chosen = withCausesAndEffects(writes, query);
  const newest = chosen.slice(Math.max(0, chosen.length - query.limit));
  return {
    entries: withInjections(sql, query, newest, isCut || newest.length < chosen.length, (write) =>
      entryOf(store, write),
    ),
    truncated: isCut || newest.length < chosen.length,
  };
}

/** Returns the next entries of a followed timeline: the first step has the past, the others what happened since. */
export function timelineStep(sql: Sql, registry: Registry, question: TimelineStepQuestion): TimelineStep {
  const { query, after, sent, injection } = question;
  const { store } = registry;
  if (after === undefined) {
    const end = { revision: store.revision, injection: newestInjection(sql), hasMore: false };
    return { ...timelineOf(sql, registry, query), ...end };
  }
  // A restored sandbox has no history before the restore.
  const from = Math.max(after, store.forgotten);
  const page = store.past.after(from, limits.timelineStepRead);
  store.meter.account(page.length * (readWriteWork + scannedRowWork));
  const selected = new Set(sent);
  const chosen: PastWrite[] = [];
  let revision = from;
  for (const write of page) {
    const { reactsTo = 0 } = write.cause;
    const isChosen = isAsked(write, query) || (isEffect(write) && selected.has(reactsTo));
    if (isChosen && isTimelined(write.resource)) {
      const added = [...causesBefore(store, write, selected), write];
      if (chosen.length > 0 && chosen.length + added.length > limits.timelineEntries) break;
      for (const addedWrite of added) selected.add(addedWrite.revision);
      chosen.push(...added);
    }
    revision = write.revision;
  }
  const isEnd = page.length < limits.timelineStepRead && revision === (page.at(-1)?.revision ?? from);
  const until = isEnd ? store.revision : revision;
  const faults = injectionStep(sql, query, { after, until, injection });
  return {
    entries: [...chosen.map((write) => entryOf(store, write)), ...faults.entries].sort(byRevision),
    truncated: from > after,
    revision: until,
    injection: faults.injection,
    hasMore: !isEnd,
  };
}

/** Returns the causes of a change that were not sent yet, the oldest first. */
function causesBefore(store: Store, write: PastWrite, selected: ReadonlySet<number>): readonly PastWrite[] {
  const causes: PastWrite[] = [];
  for (let at = write.cause.reactsTo ?? 0; at > 0 && !selected.has(at) && causes.length < limits.timelineCauses; ) {
    const [cause] = store.past.before(at + 1, at - 1, 1);
    store.meter.account(readWriteWork + scannedRowWork);
    if (!cause) break;
    causes.push(cause);
    at = cause.cause.reactsTo ?? 0;
  }
  return causes.reverse();
}

function rangeOf(sql: Sql, registry: Registry, { since, until }: TimelineQuery): [after: number, before: number] {
  const { store } = registry;
  const sinceMoment = since === undefined ? undefined : momentOf(sql, registry, since);
  const untilMoment = until === undefined ? undefined : momentOf(sql, registry, until);
  // A revision is itself asked for; a time begins after the revision that was current then.
  const isRevision = since !== undefined && /^\d+$/.test(since);
  const after = sinceMoment === undefined ? store.forgotten : sinceMoment.revision - (isRevision ? 1 : 0);
  return [Math.max(after, store.forgotten), (untilMoment?.revision ?? store.revision) + 1];
}

/** The newest changes between two revisions, the oldest first; as many as one question may read. */
function readWrites(store: Store, after: number, before: number) {
  const writes: PastWrite[] = [];
  let [from, isCut] = [before, false];
  for (;;) {
    const page = store.past.before(from, after, rowsAtOnce);
    store.meter.account(page.length * (readWriteWork + scannedRowWork));
    for (const write of page) if (isTimelined(write.resource)) writes.push(write);
    from = page.at(-1)?.revision ?? from;
    isCut = page.length === rowsAtOnce;
    if (!isCut || writes.length >= limits.timelineRead) return { writes: writes.reverse(), isCut };
  }
}

/** Returns the changes that are asked for, those that they answer, and those that answer them. */
function withCausesAndEffects(writes: readonly PastWrite[], query: TimelineQuery): readonly PastWrite[] {
  const byRevision = new Map(writes.map((write) => [write.revision, write]));
  const chosen = new Set<number>();
  // A cause has a lower revision than its effects: one pass forward finds all effects, the walk back all causes.
  for (const write of writes) {
    const { reactsTo = 0 } = write.cause;
    if (!isAsked(write, query) && !(isEffect(write) && chosen.has(reactsTo))) continue;
    chosen.add(write.revision);
  }
  const causes = new Set<number>();
  for (const revision of chosen) {
    for (let at = byRevision.get(revision)?.cause.reactsTo ?? 0; at > 0 && !causes.has(at); ) {
      const cause = byRevision.get(at);
      if (!cause) break;
      causes.add(at);
      at = cause.cause.reactsTo ?? 0;
    }
  }
  return writes.filter(({ revision }) => chosen.has(revision) || causes.has(revision));
}

function isEffect({ cause }: PastWrite): boolean {
  return cause.reactsTo !== undefined && cause.reactsTo > 0;
}

function isAsked({ resource, namespace, name, cause }: PastWrite, query: TimelineQuery): boolean {
  if (query.resource !== undefined && query.resource !== resource) return false;
  if (query.namespace !== undefined && query.namespace !== namespace) return false;
  if (query.name !== undefined && query.name !== name) return false;
  if (query.user !== undefined && (query.user !== cause.user || cause.auditId === undefined)) return false;
  return query.auditId === undefined || query.auditId === cause.auditId;
}

function entryOf(
  store: Store,
  { revision, resource, namespace, name, isDeletion, previous, cause, atMs }: PastWrite,
): TimelineEntry {
  const { user, origin, auditId, subresource, reactsTo } = cause;
  return {
    revision,
    ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
    change: isDeletion ? "deleted" : previous === undefined ? "created" : "changed",
    resource,
    ...(namespace === "" ? {} : { namespace }),
    name,
    user,
    origin,
    ...(auditId === undefined ? {} : { auditId }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(reactsTo ? { causedBy: reactsTo } : {}),
    summary: summaryOf(store, revision),
  };
}

function summaryOf(store: Store, revision: number): string {
  const [change] = store.history(revision - 1, 1);
  if (!change || change.revision !== revision || change.type === "DELETED") return "";
  store.effort.accountRead(change.text.length);
  const { reason, message, note } = change.object as KubeObject & Readonly<Record<string, unknown>>;
  if (change.resource === "events" || change.resource === "events.events.k8s.io")
    return `${typeof reason === "string" ? reason : ""}: ${[message, note].find((text) => typeof text === "string") ?? ""}`;
  return change.type === "MODIFIED" ? fieldsText(change) : "";
}

function fieldsText({ previous, object }: PastChange): string {
  const fields = changedFields(withoutNoise(previous), withoutNoise(object), summaryFields + 1);
  const texts = fields
    .slice(0, summaryFields)
    .map(({ path, from, to }) => `${path}: ${valueText(from)} → ${valueText(to)}`);
  return [...texts, ...(fields.length > summaryFields ? ["…"] : [])].join(", ");
}

function withoutNoise(object: KubeObject | undefined): object {
  if (!object) return {};
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function valueText(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > valueCharacters ? `${text.slice(0, valueCharacters)}…` : text;
}
