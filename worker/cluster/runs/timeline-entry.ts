// A run that asks others, as the timeline follows it: how far it has come, and what is stored of it.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { visitorName } from "../../containers/run/visits.ts";
import type { Chunk } from "../../containers/shell/process.ts";
import type { Edit } from "../../containers/shell/files.ts";
import type { Run, Trace } from "../../containers/shell/trace.ts";
import { visitPath } from "../../containers/wasm/visits.ts";

export const forever = Number.POSITIVE_INFINITY;

/** The stored part of a run that visits other containers. */
export interface Row {
  readonly namespace: string;
  readonly name: string;
  /** Effects up to this moment are recorded. */
  readonly recordedMs: number;
  /** The end that its status tells, or the deletion of its pod. */
  readonly endMs?: number;
}

/** A run whose own code answers visitors. An interpreter cannot wait in memory, so it is followed from its start with their visits. */
export interface ServerState {
  /** The version of the pod's edits with which the run was followed. */
  version: number;
  /** Whether the run only waits for visitors. */
  isIdle: boolean;
  /** The first visit after the moment to which the run was followed; Infinity if there is none. */
  nextVisitMs: number;
  /** What the run printed. */
  chunks: readonly Chunk[];
}

export interface Entry {
  readonly key: string;
  readonly uid: string;
  readonly container: string;
  readonly startMs: number;
  readonly namespace: string;
  readonly name: string;
  /** The pod as it was known last; undefined after the object was opened anew. */
  pod: Pod | undefined;
  recordedMs: number;
  endMs: number | undefined;
  /** When it was added; its start, where the object was opened anew since. */
  readonly addedMs: number;
  /** How far it was followed. */
  atMs: number;
  /** Undefined where it cannot wait, or has not been followed since the object was opened. */
  run: Run | undefined;
  /** Whether the run cannot be suspended, so that each advance replays it from its start. */
  isUnwound: boolean;
  outside: readonly Edit[];
  /** Whether the run has changed data of other containers. */
  hasWritten: boolean;
  /** The first moment since it was followed last at which others changed data that it asked for. */
  changedMs: number;
  /** Uids of the pods that it visited. */
  readonly visited: Set<string>;
  /** Its end was told to the kubelet. */
  isTold: boolean;
  /** The run's own code answers visitors; undefined if it does not. */
  server: ServerState | undefined;
  /** Whether the run has ended or does nothing any more. */
  isOver: boolean;
  /** When it does something next, as far as is known. */
  nextMs: number;
  /** Whether the run has had an effect since its position was stored. */
  isStale: boolean;
}

/** Returns the state of a server whose run was followed to `untilMs`. */
export function serverState(
  { endless, knownMs, outside }: Trace,
  version: number,
  untilMs: number,
  chunks: readonly Chunk[],
): ServerState {
  const later = outside.filter(({ path, atMs }) => path === visitPath && atMs > untilMs);
  const nextVisitMs = Math.min(forever, ...later.map(({ atMs }) => atMs));
  return { version, isIdle: endless && knownMs === forever, nextVisitMs, chunks };
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
    isTold: false,
    server: undefined,
    isOver: false,
    nextMs: Number.NEGATIVE_INFINITY,
    isStale: false,
  };
}

export function keyOf(uid: string, container: string, startMs: number): string {
  return visitorName({ metadata: { uid } } as Pod, container, startMs);
}

/** Returns how far a run can be followed: to its end, or to the last moment in which nothing can be written any more. */
export function lastMsOf({ endMs }: Entry, nowMs: number): number {
  return endMs === undefined ? nowMs - 1 : Math.min(nowMs, endMs);
}

export function isDue(entry: Entry, nowMs: number): boolean {
  const lastMs = lastMsOf(entry, nowMs);
  if (entry.endMs !== undefined && entry.endMs <= nowMs) return true;
  // A run does its first steps when it begins.
  if (entry.atMs >= lastMs || lastMs < entry.addedMs) return false;
  return entry.nextMs <= lastMs;
}

/** How long after its start a run is expected to make its first visit. */
const youngMs = 60_000;

export function isYoung({ atMs, startMs }: Entry): boolean {
  return atMs < startMs + youngMs;
}

/** Returns the moment at which a run does something that it did not do before; Infinity if it does not by now. */
export function nextMsOf(entry: Entry, nowMs: number): number {
  const { run, changedMs } = entry;
  const repeatsUntilMs = run?.repeatsUntilMs;
  const nextMs = repeatsUntilMs === undefined ? (run?.nextMs() ?? forever) : Math.min(repeatsUntilMs, changedMs);
  return nextMs <= lastMsOf(entry, nowMs) ? nextMs : forever;
}

/** Reports whether a run can go on with what others have done to it by now: all that is new came after its position. */
export function isContinued({ outside, atMs }: Entry, now: readonly Edit[], untilMs: number): boolean {
  if (untilMs < atMs) return false;
  const isSame = outside.every((edit, at) => edit === now[at] || JSON.stringify(edit) === JSON.stringify(now[at]));
  return isSame && now.slice(outside.length).every((edit) => edit.atMs > atMs);
}
