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
  /** The revision of the state that a lagging server has. */
  staleRevision: number;
  /** The changes of the object that counted for it. */
  staleChanges: number;
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
  /** The number of the newest injection. */
  injections: number;
}

const key = "faults";
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

export function newRecord({ seed, faults }: PutFaults): FaultRecord {
  const named = faults.map((fault, at) => ({ name: fault.name ?? String(at), fault, progress: newProgress() }));
  return { seed, faults: named, injections: 0 };
}

export function readRecord(sql: Sql): FaultRecord | undefined {
  const text = readMeta(sql, key);
  // `writeRecord` wrote it.
  return text === undefined ? undefined : (JSON.parse(text) as FaultRecord);
}

export function writeRecord(sql: Sql, record: FaultRecord): void {
  writeMeta(sql, key, JSON.stringify(record));
}

export function deleteRecord(sql: Sql): void {
  deleteMeta(sql, key);
  deleteMetaRows(sql, injectionPrefix);
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
