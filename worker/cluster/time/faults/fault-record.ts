// The stored faults of a cluster: their settings, their progress, and the injections. Nothing is stored in a cluster without faults.
import { faultLimits } from "../../../../shared/contract/cluster/fault-limits.ts";
import type { Fault, Injection, PutFaults } from "../../../../shared/contract/cluster/faults.ts";
import type { Sql } from "../../../store/sql.ts";
import { deleteMeta, deleteMetaRows, metaRows, readMeta, writeMeta } from "../../../store/tables.ts";

export interface FaultProgress {
  state: "waiting" | "active" | "ended";
  /** The requests that matched since the trigger. */
  matched: number;
  /** The writes that counted for the trigger. */
  writes: number;
  /** The changes of the object that counted for the trigger. */
  changes: number;
  /** The changes of the object that counted for the end. */
  endChanges: number;
  injected: number;
  /** The revision and the time of the sandbox at the trigger, and the revision at the end. */
  sinceRevision: number;
  sinceMs: number;
  untilRevision: number;
  /** The time of the sandbox at the end. Undefined before, and in records that an older version wrote. */
  untilMs?: number;
  /** The revision of the state that a lagging server has. */
  staleRevision: number;
  /** The changes of the object that counted for it. */
  staleChanges: number;
  /** The nodes that are gone. */
  nodes?: readonly string[];
  /** Whether an effect on the cluster itself, as opposed to a request or watch, is still to be applied. */
  isDue: boolean;
}

export interface ActiveFault {
  readonly name: string;
  readonly fault: Fault;
  readonly progress: FaultProgress;
}

export interface FaultRecord {
  readonly seed: number;
  readonly faults: readonly ActiveFault[];
  /** The number of the newest injection of earlier faults. Undefined in records that an older version wrote. */
  readonly before?: number;
  /** The number of the newest injection. */
  injections: number;
}

const key = "faults";
/** The time up to which deleted faults let pulls of images fail. */
const pullsFailedKey = "faults-pulls-failed";
/** The number of the newest injection of deleted faults. */
const newestKey = "faults-newest-injection";
/** Present after the cluster was set to another state, until its nodes are as the faults say. */
const renewalKey = "faults-renewal";
const injectionPrefix = "fault-injection:";

export function newProgress(): FaultProgress {
  return {
    state: "waiting",
    ...{
      matched: 0,
      writes: 0,
      changes: 0,
      endChanges: 0,
      injected: 0,
      sinceRevision: 0,
      sinceMs: 0,
      untilRevision: 0,
    },
    ...{ staleRevision: 0, staleChanges: 0, isDue: false },
  };
}

export function newRecord(sql: Sql, { seed, faults }: PutFaults): FaultRecord {
  const named = faults.map((fault, at) => ({ name: fault.name ?? String(at), fault, progress: newProgress() }));
  const before = newestInjection(sql);
  return { seed, faults: named, before, injections: before };
}

export function readRecord(sql: Sql): FaultRecord | undefined {
  const text = readMeta(sql, key);
  // `writeRecord` wrote it.
  return text === undefined ? undefined : (JSON.parse(text) as FaultRecord);
}

export function writeRecord(sql: Sql, record: FaultRecord): void {
  writeMeta(sql, key, JSON.stringify(record));
}

export function writePullsFailed(sql: Sql, untilMs: number): void {
  writeMeta(sql, pullsFailedKey, String(untilMs));
}

export function readPullsFailed(sql: Sql): number {
  return Number(readMeta(sql, pullsFailedKey) ?? "0");
}

/** Returns the number of the newest injection; 0 if there never was one. Numbers rise for ever, so that a follower misses none. */
export function newestInjection(sql: Sql): number {
  return readRecord(sql)?.injections ?? Number(readMeta(sql, newestKey) ?? "0");
}

/** Has the faults act on the state that the cluster is set to when it is opened. The timeline begins anew with it. */
export function markRenewal(sql: Sql): void {
  writeMeta(sql, renewalKey, "true");
  deleteMetaRows(sql, injectionPrefix);
}

export function isRenewalDue(sql: Sql): boolean {
  return readMeta(sql, renewalKey) !== undefined;
}

export function endRenewal(sql: Sql): void {
  deleteMeta(sql, renewalKey);
}

/** Deletes the faults. Their injections stay in the timeline. */
export function deleteRecord(sql: Sql): void {
  const newest = newestInjection(sql);
  if (newest > 0) writeMeta(sql, newestKey, String(newest));
  deleteMeta(sql, key);
}

export function writeInjection(sql: Sql, injection: Injection): void {
  writeMeta(sql, injectionKey(injection.number), JSON.stringify(injection));
  if (injection.number > faultLimits.injections)
    deleteMeta(sql, injectionKey(injection.number - faultLimits.injections));
}

/** Reads the injections after a number, the oldest first. */
export function readInjections(sql: Sql, since = 0): Injection[] {
  return metaRows(sql, injectionPrefix)
    .filter((row) => row.key > injectionKey(since))
    .map(({ value }) => JSON.parse(value) as Injection);
}

function injectionKey(number: number): string {
  return `${injectionPrefix}${String(number).padStart(9, "0")}`;
}
