// What one run does to containers that it visits: log lines, and changes of data. The run that visits finds its own effects again when it is followed
// from its start; everybody else reads the recorded ones. `Edit.from` tells the two apart.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PersonalEdits } from "../cri.ts";
import { streamOf } from "../shell/outside-input.ts";
import type { Edit } from "../shell/files.ts";
import type { PodRuns } from "../port-answer.ts";
import { visitPath } from "../wasm/visits.ts";

/** Effects on one pod, in the order of time; lists grow at their ends only. */
export interface VisitEdits {
  /** Changes of files, and visits that a program's own code answers. */
  readonly data: readonly Edit[];
  /** Lines for logs. */
  readonly lines: readonly Edit[];
}

/** Effects of other runs that are not recorded yet. */
export interface PendingVisits {
  /** `except`: the names of runs that are left out. */
  of(podUid: string, except: readonly (string | undefined)[]): readonly VisitEdits[];
  /** The moment up to which the effects of a run are recorded. */
  recordedMs(visitor: string): number;
}

const none: readonly VisitEdits[] = [];

/** The runs at the other end of connections, as long as neither the pod nor what others did to it changes. */
interface ReachedRuns {
  /** The versions of the pod and of what others did to it, and the container that is left out. */
  readonly version: string;
  readonly runs: PodRuns;
}

/** The effects of one run, shared by all connections that it causes. */
export class Visits {
  /** The name of the run that visits; undefined for a command that a person or a kubelet runs. */
  readonly visitor: string | undefined;
  readonly #own = new Map<string, { readonly data: Edit[]; readonly lines: Edit[] }>();
  /** By the uid of the pod. They are kept from one moment of the cluster to the next if they ask nobody. */
  readonly reached = new Map<string, ReachedRuns>();
  readonly #pending: PendingVisits | undefined;
  readonly #cause: Visits | undefined;

  /** `cause`: the effects of the run because of which this one is followed. */
  constructor(visitor: string | undefined, pending: PendingVisits | undefined, cause?: Visits) {
    this.visitor = visitor;
    this.#pending = pending;
    this.#cause = cause;
  }

  /** Returns the effects on a pod that its recorded files and logs lack: first the run's own, then those of others, without those of `except`. */
  on(podUid: string, except: readonly (string | undefined)[] = []): readonly VisitEdits[] {
    const own = this.#own.get(podUid);
    const without = [...except, this.visitor];
    const others = this.#cause?.on(podUid, without) ?? this.#pending?.of(podUid, without) ?? none;
    return own ? [own, ...others] : others;
  }

  /** Notes effects, and returns them with the name of the run. */
  add(podUid: string, edits: readonly Edit[]): readonly Edit[] {
    const { visitor } = this;
    const named = visitor === undefined ? edits : edits.map((edit) => ({ ...edit, from: visitor }));
    let own = this.#own.get(podUid);
    if (!own) this.#own.set(podUid, (own = { data: [], lines: [] }));
    for (const edit of named) (isLine(edit) ? own.lines : own.data).push(edit);
    return named;
  }
}

export function isLine({ path }: Edit): boolean {
  return streamOf(path) !== undefined;
}

/** Reports whether an effect changes what later visitors find, rather than a log or the memory of a program. */
export function isDataChange(edit: Edit): boolean {
  return !isLine(edit) && edit.path !== visitPath;
}

/** Returns when data change next after a moment; Infinity if they do not. */
export function nextDataChangeMs(edits: readonly Edit[], afterMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const edit of edits) if (edit.atMs > afterMs && edit.atMs < nextMs && isDataChange(edit)) nextMs = edit.atMs;
  return nextMs;
}

/** Returns the name of a run. `startMs`: its start, also with the milliseconds that stored times lack. */
export function visitorName({ metadata }: Pod, container: string, startMs: number): string {
  return `${metadata.uid ?? ""}/${container}/${Math.floor(startMs / 1000)}`;
}

/**
 * Returns the changes as a run finds them: without its own. Up to `recordedMs` the run repeats what it did: of the changes of a moment it finds those that
 * came before its own; if it has none there, those of the runs that are followed before it.
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

/** Times have whole milliseconds: this much later is after all that happens in one. */
const momentMs = 0.5;

function foundBy(edits: readonly Edit[], visitor: string, recordedMs: number): readonly Edit[] {
  const ownFirst = new Map<number, number>();
  edits.forEach(({ from, atMs }, index) => {
    if (from === visitor && !ownFirst.has(atMs)) ownFirst.set(atMs, index);
  });
  return edits.flatMap((edit, index) => {
    const { from = "", atMs } = edit;
    if (from === visitor) return [];
    const own = ownFirst.get(atMs);
    const isLater = atMs <= recordedMs && (own === undefined ? from > visitor : index > own);
    return [isLater ? { ...edit, atMs: atMs + momentMs } : edit];
  });
}
