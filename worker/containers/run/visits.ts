// The effects of one run on the containers that it visits: log lines and changes of data. A visiting run that is computed again causes its own
// effects again; all others read the recorded effects. `Edit.from` names the run that caused an effect.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PersonalEdits } from "../cri.ts";
import { streamOf } from "../shell/outside-input.ts";
import type { Edit } from "../shell/files.ts";
import type { PodRuns } from "../pod-runs.ts";
import { visitPath } from "../wasm/visits.ts";

/** The effects on one pod, in the order of time. Edits are only appended. */
export interface VisitEdits {
  /** The changes of files, and the visits that a program's own code answers. */
  readonly data: readonly Edit[];
  /** The lines that are added to logs. */
  readonly lines: readonly Edit[];
}

/** The effects of other runs that are not recorded yet. */
export interface PendingVisits {
  /** Returns the effects on a pod. `except`: the names of the runs that are left out. */
  of(podUid: string, except: readonly (string | undefined)[]): readonly VisitEdits[];
  /** Returns the moment up to which the effects of a run are recorded. */
  recordedMs(visitor: string): number;
}

const none: readonly VisitEdits[] = [];

/** The runs that answer connections, valid until the pod or its edits from outside change. */
interface ReachedRuns {
  /** The version of the pod and of its edits, and the container that is left out. */
  readonly version: string;
  readonly runs: PodRuns;
}

/** The effects of one run, shared by all connections that it causes. */
export class Visits {
  /** The name of the run that visits; undefined for a command that a person or a kubelet runs. */
  readonly visitor: string | undefined;
  readonly #own = new Map<string, { readonly data: Edit[]; readonly lines: Edit[] }>();
  /** The runs by the uid of their pod. Runs that depend on no other container are valid for later moments as well. */
  readonly reached = new Map<string, ReachedRuns>();
  readonly #pending: PendingVisits | undefined;
  readonly #cause: Visits | undefined;

  /** `cause`: the effects of the run that requires this one. */
  constructor(visitor: string | undefined, pending: PendingVisits | undefined, cause?: Visits) {
    this.visitor = visitor;
    this.#pending = pending;
    this.#cause = cause;
  }

  /** Returns the effects on a pod that are not recorded yet: first those of this run, then those of other runs except `except`. */
  on(podUid: string, except: readonly (string | undefined)[] = []): readonly VisitEdits[] {
    const ownEdits = this.#own.get(podUid);
    const without = [...except, this.visitor];
    const otherEdits = this.#cause?.on(podUid, without) ?? this.#pending?.of(podUid, without) ?? none;
    return ownEdits ? [ownEdits, ...otherEdits] : otherEdits;
  }

  /** Records effects, and returns them with the name of the run. */
  add(podUid: string, edits: readonly Edit[]): readonly Edit[] {
    const { visitor } = this;
    const named = visitor === undefined ? edits : edits.map((edit) => ({ ...edit, from: visitor }));
    let ownEdits = this.#own.get(podUid);
    if (!ownEdits) this.#own.set(podUid, (ownEdits = { data: [], lines: [] }));
    for (const edit of named) (isLine(edit) ? ownEdits.lines : ownEdits.data).push(edit);
    return named;
  }
}

export function isLine({ path }: Edit): boolean {
  return streamOf(path) !== undefined;
}

/** Reports whether an effect changes data that later visitors read, rather than a log or the memory of a program. */
export function isDataChange(edit: Edit): boolean {
  return !isLine(edit) && edit.path !== visitPath;
}

/**
 * Returns effects in the order in which they are recorded: by time. In one moment, changes of data come first, as they were made. Log lines follow by the
 * names of their runs, so that their order does not depend on which run was followed first.
 */
export function inRecordedOrder(edits: readonly Edit[]): Edit[] {
  const lines = edits.filter(isLine).sort(({ from: a = "" }, { from: b = "" }) => (a < b ? -1 : Number(a > b)));
  return [...edits.filter((edit) => !isLine(edit)), ...lines].sort((a, b) => a.atMs - b.atMs);
}

/** Returns the time of the next change of data after a moment; Infinity if there is none. */
export function nextDataChangeMs(edits: readonly Edit[], afterMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const edit of edits) if (edit.atMs > afterMs && edit.atMs < nextMs && isDataChange(edit)) nextMs = edit.atMs;
  return nextMs;
}

/** Returns the name of a run. `startMs`: its start, with or without milliseconds. */
export function visitorName({ metadata }: Pod, container: string, startMs: number): string {
  return `${metadata.uid ?? ""}/${container}/${Math.floor(startMs / 1000)}`;
}

/**
 * Returns the edits that a run reads: all but its own. Up to `recordedMs` the run repeats what it did before. Of the edits of one moment it then
 * reads only those that precede its own. If it has no edits at that moment, it reads those of the runs whose names sort before its own.
 */
export function editsFor(edits: PersonalEdits, visitor: string, recordedMs: number): PersonalEdits {
  return {
    of: (pod, container) => {
      const all = edits.of(pod, container);
      return all.some(({ from }) => from !== undefined && from >= visitor) ? foundBy(all, visitor, recordedMs) : all;
    },
    recordedLog: (pod, container, startMs) => edits.recordedLog?.(pod, container, startMs),
    typed: (pod, container) => edits.typed(pod, container),
    version: (pod) => edits.version(pod),
  };
}

/** The delay that moves an edit behind all others of its moment. Times have whole milliseconds. */
const momentMs = 0.5;

function foundBy(edits: readonly Edit[], visitor: string, recordedMs: number): readonly Edit[] {
  const ownFirst = new Map<number, number>();
  edits.forEach(({ from, atMs }, index) => {
    if (from === visitor && !ownFirst.has(atMs)) ownFirst.set(atMs, index);
  });
  return edits.flatMap((edit, index) => {
    const { from = "", atMs } = edit;
    if (from === visitor) return [];
    const ownIndex = ownFirst.get(atMs);
    const isLater = atMs <= recordedMs && (ownIndex === undefined ? from > visitor : index > ownIndex);
    return [isLater ? { ...edit, atMs: atMs + momentMs } : edit];
  });
}
