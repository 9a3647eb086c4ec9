// The state of a run in the timeline: its position, and the part that is stored.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { visitorName } from "../../containers/run/visits.ts";
import type { Chunk } from "../../containers/shell/process.ts";
import type { Edit } from "../../containers/shell/files.ts";
import type { Run, Trace } from "../../containers/shell/trace.ts";
import { visitPath } from "../../containers/wasm/visits.ts";

export const forever = Number.POSITIVE_INFINITY;

/** The stored state of a run that visits other containers. */
export interface Row {
  readonly namespace: string;
  readonly name: string;
  /** The moment up to which effects are recorded. */
  readonly recordedMs: number;
  /** The end of the run by its status, or the deletion of its pod. */
  readonly endMs?: number;
}

/** A run whose own code answers visitors. */
export interface ServerState {
  /** Whether the run only waits for visitors. */
  readonly isIdle: boolean;
  /** The output of a run that cannot wait in memory. */
  readonly chunks: readonly Chunk[];
}

export interface Entry {
  readonly key: string;
  readonly uid: string;
  readonly container: string;
  readonly startMs: number;
  readonly namespace: string;
  readonly name: string;
  /** The last known state of the pod; undefined after the object was opened again. */
  pod: Pod | undefined;
  recordedMs: number;
  endMs: number | undefined;
  /** The moment at which the entry was added. After the object was opened again, `recordedMs`. */
  readonly addedMs: number;
  /** The moment up to which the run was followed. */
  atMs: number;
  /** Undefined if the run cannot be suspended, or was not followed since the object was opened. */
  run: Run | undefined;
  /** Whether the run cannot be suspended, so that each advance replays it from its start. */
  isUnwound: boolean;
  outside: readonly Edit[];
  /** Whether the run has changed data of other containers. */
  hasWritten: boolean;
  /** The first moment since its position at which others changed data of pods that it visited. */
  changedMs: number;
  /** The uids of the pods that the run visited. */
  readonly visited: Set<string>;
  /** Whether the kubelet was notified of the end of the run. */
  isEndReported: boolean;
  /** The state of the program's own server; undefined if the program does not serve. */
  server: ServerState | undefined;
  /** The version of the pod's edits with which the run was followed. */
  editsVersion: number;
  /** Whether the run has ended or does nothing any more. */
  isOver: boolean;
  /** The moment of the next known action of the run. */
  nextMs: number;
  /** Whether the run has had an effect since its position was stored. */
  isStale: boolean;
}

/** Reports whether a run only waits for visitors, as far as is known. */
export function isIdle({ endless, knownMs }: Trace): boolean {
  return endless && knownMs === forever;
}

/** Returns the time of the first visit of a program's own server after the moment to which it was followed; Infinity if there is none. */
export function nextVisitMs({ outside, atMs }: Entry): number {
  const later = outside.filter((edit) => edit.path === visitPath && edit.atMs > atMs);
  return Math.min(forever, ...later.map((edit) => edit.atMs));
}

export function newEntry(
  key: string,
  { namespace, name, recordedMs, endMs }: Row,
  { pod, addedMs = recordedMs }: { readonly pod?: Pod; readonly addedMs?: number } = {},
): Entry {
  const [uid = "", container = "", startSeconds = ""] = key.split("/");
  const startMs = Number(startSeconds) * 1000;
  return {
    key,
    uid,
    container,
    startMs,
    namespace,
    name,
    pod,
    recordedMs,
    endMs,
    addedMs,
    atMs: startMs - 1,
    run: undefined,
    isUnwound: false,
    outside: [],
    hasWritten: false,
    changedMs: forever,
    visited: new Set(),
    isEndReported: false,
    server: undefined,
    editsVersion: 0,
    isOver: false,
    nextMs: Number.NEGATIVE_INFINITY,
    isStale: false,
  };
}

export function keyOf(uid: string, container: string, startMs: number): string {
  return visitorName({ metadata: { uid } } as Pod, container, startMs);
}

/** Returns how far a run can be followed: to its end, or to the last moment in which no more writes are possible. */
export function lastMsOf({ endMs }: Entry, nowMs: number): number {
  return endMs === undefined ? nowMs - 1 : Math.min(nowMs, endMs);
}

export function isDue(entry: Entry, nowMs: number): boolean {
  const lastMs = lastMsOf(entry, nowMs);
  if (entry.endMs !== undefined && entry.endMs <= nowMs) return true;
  // A new run is followed from the next moment on.
  if (entry.atMs >= lastMs || lastMs < entry.addedMs) return false;
  return entry.nextMs <= lastMs;
}

/** The time after its start in which a run is expected to make its first visit. */
const youngMs = 60_000;

export function isYoung({ atMs, startMs }: Entry): boolean {
  return atMs < startMs + youngMs;
}

/** Returns the moment at which a run does something new; Infinity if it does not until now. */
export function nextMsOf(entry: Entry, nowMs: number): number {
  const { run, changedMs } = entry;
  const repeatsUntilMs = run?.repeatsUntilMs;
  const nextMs = repeatsUntilMs === undefined ? (run?.nextMs() ?? forever) : Math.min(repeatsUntilMs, changedMs);
  return nextMs <= lastMsOf(entry, nowMs) ? nextMs : forever;
}

/** Reports whether a run can continue with the present edits from outside: all new edits must be later than its position. */
export function isContinued({ outside, atMs }: Entry, now: readonly Edit[], untilMs: number): boolean {
  if (untilMs < atMs) return false;
  const isSame = outside.every((edit, at) => edit === now[at] || JSON.stringify(edit) === JSON.stringify(now[at]));
  return isSame && now.slice(outside.length).every((edit) => edit.atMs > atMs);
}
