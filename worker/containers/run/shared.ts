// What containers of a pod do to each other: a volume that several of them mount, or that outlives a container's end.
import { limits } from "../../../shared/base/limits.ts";
import type { Container, ContainerStatus, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../../shared/k8s/time.ts";
import type { Edit } from "../shell/files.ts";
import { endPath } from "../shell/outside-input.ts";
import type { Trace } from "../shell/trace.ts";
import { programServer, visitEdit, visitOf, visitPath } from "../wasm/visits.ts";
import { ProgramServer } from "./program-server.ts";
import { execIn, type RunQuestion, runOf } from "./run.ts";
import { isWritable, type MountPoint, mountPoints } from "./volume-mounts.ts";
import type { ClusterView } from "./world.ts";

/** A container and how it fares. */
export interface Placed {
  readonly spec: Container;
  readonly status: ContainerStatus;
}

export interface PodView {
  readonly pod: Pod;
  readonly view: ClusterView;
  readonly containers: readonly Placed[];
  /** Runs that ask no other container: worked out once for all that ask about them. */
  readonly alone?: Map<string, Trace>;
}

export interface RunOptions {
  readonly untilMs: number;
  /** How far the containers are followed that share its volumes. Default: as far as itself. */
  readonly besidesUntilMs?: number;
  readonly termMs?: number;
  readonly prints?: boolean;
  /** It goes on from where it was left, also after its container has ended. */
  readonly isContinued?: boolean;
  /** Whether the program's own server goes through its visits again. Default: true. */
  readonly isVisited?: boolean;
  /** Visits of the program's own server from this moment on are gone through beside the usual ones. */
  readonly visitsFromMs?: number;
  /** Units of work that following it may cost; what is usual, if it is not said. */
  readonly work?: number;
}

/** The present run of a container, or the last that ended; undefined before the first. */
export function presentRun(whole: PodView, placed: Placed, options: RunOptions): Trace | undefined {
  const { state, lastState } = placed.status;
  const shown = state.running ?? state.terminated ?? lastState.terminated;
  return shown?.startedAt ? runFrom(whole, placed, parseTime(shown.startedAt), options, []) : undefined;
}

/** A run that began then. `asked`: the containers whose files led to this question; they are not asked again. */
export function runFrom(
  whole: PodView,
  { spec, status }: Placed,
  startMs: number,
  options: RunOptions,
  asked: readonly string[],
): Trace {
  const own = [...asked, spec.name];
  const besides = asks(whole, spec, asked) ? sharing(whole, spec, own) : [];
  const isRepeated = isKept(whole, spec) && status.restartCount > 0;
  const parts = besides.length + (isRepeated ? 1 : 0);
  const ownWork =
    options.work ?? shareOf(whole, spec, options.prints ? limits.containerPrintWork : limits.containerWork);
  const besideWork =
    asked.length === 0
      ? (options.prints ? limits.besidePrintWork : limits.besideWork) / Math.max(parts, whole.containers.length)
      : ownWork / 2 / Math.max(parts, 1);
  const followed = { untilMs: options.besidesUntilMs ?? options.untilMs, work: besideWork };
  const others = besides.flatMap((other) => editsOf(whole, other, spec, followed, own));
  const earlier = isRepeated ? earlierEdits(whole, spec, status, others, followed.work) : [];
  const { pod, view } = whole;
  const all = [...earlier, ...others, ...personalEdits(whole, { spec, status }, startMs, besides)];
  const outside =
    options.isVisited === false ? all.filter(({ path }) => path !== visitPath) : withNewestVisits(all, options);
  const question = { pod, view, container: spec, startMs, ...options, work: ownWork };
  // What is asked twice, or for a part of what there is, is followed from the start.
  const isWhole = asked.length === 0 && options.prints === true && options.termMs === undefined;
  const isRunning = options.isContinued ?? status.state.running !== undefined;
  const isPresent = isWhole && isRunning && !spec.stdin && !hasHook(spec);
  const run = runOf({ ...question, outside, isPresent });
  const begun = afterStart(whole, spec, run, startMs);
  const whatCame = [...outside, ...begun];
  return askable(
    { ...question, outside: whatCame },
    begun.length > 0 ? runOf({ ...question, outside: whatCame }) : run,
    [...all, ...begun],
  );
}

/**
 * Leaves out the oldest visits of a program's own server, in blocks: to go through all of them would be more work than there is. A server that goes on
 * from where it was left begins anew with each block.
 */
function withNewestVisits(
  edits: readonly Edit[],
  { visitsFromMs: fromMs = Number.POSITIVE_INFINITY }: Pick<RunOptions, "visitsFromMs"> = {},
  most: number = limits.replayedVisits,
): readonly Edit[] {
  const visits = edits.filter(({ path }) => path === visitPath).sort((a, b) => a.atMs - b.atMs);
  const block = Math.ceil(most / 2);
  const count = visits.length > most ? Math.ceil((visits.length - most) / block) * block : 0;
  const recorded = visits.findIndex(({ atMs }) => atMs >= fromMs);
  const dropped = recorded < 0 ? count : Math.min(count, Math.max(recorded, visits.length - limits.recordedVisits));
  const old = new Set(visits.slice(0, dropped));
  return old.size === 0 ? edits : edits.filter((one) => !old.has(one));
}

/** Adds the answers of a program's own server. `all`: all that others did to the container, also what the run leaves out. */
function askable(
  question: RunQuestion & { readonly outside: readonly Edit[] },
  run: Trace,
  all: readonly Edit[],
): Trace {
  if (run.server !== programServer) return run;
  const noted = new Set(all.flatMap((one) => (one.path === visitPath ? [visitOf(one).id] : [])));
  const server = new ProgramServer(question);
  const visited: Trace["visited"] = (visit, request) => {
    const { atMs, earlier = [] } = request;
    // At the moment of its start a program has done nothing yet.
    const own = { atMs: Math.max(atMs, question.startMs + 1), ...visitEdit(visit) };
    const more = [...earlier, own].filter((one) => one.path !== visitPath || !noted.has(visitOf(one).id));
    return server.visit(visit, request, (most) => withNewestVisits([...all, ...more], {}, most));
  };
  const revisited: Trace["revisited"] = (visits, untilMs) =>
    runOf({ ...question, outside: [...question.outside, ...visits], untilMs });
  return { ...run, visited, revisited };
}

/** Returns a container's share of a pod's work. Init containers run one after the other, before the pod's own; sidecars run beside both. */
function shareOf({ pod, containers }: PodView, { name }: Container, work: number): number {
  const steps = new Set(
    (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== "Always").map((step) => step.name),
  );
  const lasting = containers.filter(({ spec }) => !steps.has(spec.name));
  const sidecars = (pod.spec.initContainers?.length ?? 0) - steps.size;
  return work / Math.max(1, steps.has(name) ? 1 + sidecars : lasting.length);
}

/** Containers that share volumes are followed so far from the one that was asked about. */
const deepest = 3;
/** Where more of them share volumes, those that are asked ask no others. */
const mostAsking = 3;

function asks(whole: PodView, spec: Container, asked: readonly string[]): boolean {
  if (asked.length === 0) return true;
  return asked.length < deepest && sharing(whole, spec, [spec.name]).length <= mostAsking;
}

/** What people changed: in volumes it outlives the run, elsewhere it goes with it. */
function personalEdits(whole: PodView, { spec, status }: Placed, startMs: number, besides: readonly Placed[]): Edit[] {
  const volumes = written(whole, spec);
  // Stored times are of whole seconds: what ended the run before may be of the second in which this one began.
  const endsMs = status.restartCount > 0 ? startMs + 1000 : startMs;
  // What runs that are followed anyhow have written is not taken twice.
  const followed = new Set([
    runName(whole.pod, spec, startMs),
    ...besides.map((one) => runName(whole.pod, one.spec, parseTime(startOf(one) ?? rfc3339(0)))),
  ]);
  return whole.view
    .edits(whole.pod, spec.name)
    .filter(({ by }) => by === undefined || !followed.has(by))
    .filter(({ atMs, path: edited }) =>
      edited === endPath
        ? atMs >= endsMs
        : atMs >= startMs || volumes.some(({ path }) => edited === path || edited.startsWith(`${path}/`)),
    );
}

/** What a run has changed so far in volumes that outlive its pod, to be kept. */
export function durableEdits(
  { pod, view }: PodView,
  { spec }: Placed,
  run: Trace,
  startMs: number,
  nowMs: number,
): Edit[] {
  const lasting = mountPoints(pod, spec, view).filter(({ volume, readOnly }) => !readOnly && isLasting(volume));
  if (lasting.length === 0) return [];
  const by = runName(pod, spec, startMs);
  const isThere = ({ path, atMs }: Edit) =>
    atMs <= nowMs && lasting.some((one) => path === one.path || path.startsWith(`${one.path}/`));
  return run.edits.filter(isThere).map((one) => ({ ...one, by }));
}

function isLasting({ persistentVolumeClaim, ephemeral, hostPath }: Volume): boolean {
  return Boolean(persistentVolumeClaim) || Boolean(ephemeral) || Boolean(hostPath);
}

function runName({ metadata }: Pod, { name }: Container, startMs: number): string {
  return `${metadata.uid ?? ""}/${name}/${startMs}`;
}

function hasHook({ lifecycle }: Container): boolean {
  return lifecycle?.postStart?.exec !== undefined;
}

/** What the hook after its start does to its files. */
function afterStart({ pod, view }: PodView, container: Container, run: Trace, startMs: number): readonly Edit[] {
  const words = container.lifecycle?.postStart?.exec?.command;
  if (!words?.length) return [];
  const question = { pod, view, container, words, files: run.initial, ports: run.ports };
  const hook = execIn({ ...question, nowMs: startMs, untilMs: startMs + hookMs, work: limits.probeWork });
  return "missing" in hook ? [] : hook.edits;
}

/** A hook is followed for so long. */
const hookMs = 600_000;

/** Volumes that a container may write into, with the folder each is seen under. */
function written({ pod, view }: Pick<PodView, "pod" | "view">, container: Container): MountPoint[] {
  return mountPoints(pod, container, view).filter(({ volume }) => isWritable(volume));
}

function isKept(whole: PodView, spec: Container): boolean {
  return written(whole, spec).length > 0;
}

function sharing(whole: PodView, spec: Container, asked: readonly string[]): Placed[] {
  const volumes = new Set(written(whole, spec).map(({ name }) => name));
  if (volumes.size === 0) return [];
  return whole.containers.filter(
    (other) => !asked.includes(other.spec.name) && written(whole, other.spec).some(({ name }) => volumes.has(name)),
  );
}

/** When its present run began, or the last that ended. */
function startOf({ status: { state, lastState } }: Placed): string | undefined {
  return (state.running ?? state.terminated ?? lastState.terminated)?.startedAt ?? undefined;
}

/** What another container did to the volumes, under the paths of this one. */
function editsOf(
  whole: PodView,
  other: Placed,
  spec: Container,
  { untilMs, work }: { readonly untilMs: number; readonly work: number },
  asked: readonly string[],
): Edit[] {
  const { state, lastState } = other.status;
  const startedAt = startOf(other);
  if (!startedAt) return [];
  const { finishedAt } = state.running ? { finishedAt: undefined } : (state.terminated ?? lastState.terminated ?? {});
  // Stored times are of whole seconds: what it did in its last is done.
  const endedMs = finishedAt ? parseTime(finishedAt) + 999 : Number.POSITIVE_INFINITY;
  const options = { untilMs: Math.min(untilMs, endedMs), work };
  const run = () => runFrom(whole, other, parseTime(startedAt), options, asked);
  const key = JSON.stringify([other.spec.name, startedAt, options.untilMs, work]);
  const isAlone = !asks(whole, other.spec, asked);
  const found = (isAlone ? whole.alone?.get(key) : undefined) ?? run();
  if (isAlone) whole.alone?.set(key, found);
  // What people changed there is no edit of the run. In volumes that outlive the pod it is found as theirs anyhow.
  const besides = sharing(whole, other.spec, [other.spec.name]);
  const personal = personalEdits(whole, other, parseTime(startedAt), besides);
  return [...mapped(whole, found.edits, other.spec, spec), ...mapped(whole, personal, other.spec, spec, false)];
}

/** `withLasting`: also those in volumes that outlive the pod, whose files are kept as such. */
function mapped(whole: PodView, edits: readonly Edit[], from: Container, to: Container, withLasting = true): Edit[] {
  const targets = written(whole, to).filter(({ volume }) => withLasting || !isLasting(volume));
  return written(whole, from).flatMap((source) => {
    const those = targets.filter(({ name }) => name === source.name);
    if (those.length === 0) return [];
    return edits
      .filter(({ path }) => path === source.path || path.startsWith(`${source.path}/`))
      .flatMap((edit) => {
        const inside = source.below + edit.path.slice(source.path.length);
        return those
          .filter(({ below }) => inside === below || inside.startsWith(`${below}/`))
          .map(({ path, below }) => ({ ...edit, path: path + inside.slice(below.length) }));
      });
  });
}

/** So many earlier runs are looked into. */
const earlierRuns = 10;

/** What the earlier runs of a container left in its volumes; they are taken to have followed each other at once. */
function earlierEdits(
  whole: PodView,
  spec: Container,
  status: ContainerStatus,
  others: readonly Edit[],
  allWork: number,
): Edit[] {
  const { state, lastState } = status;
  const begun = state.running ?? state.terminated ?? lastState.terminated;
  const startMs = begun?.startedAt ? parseTime(begun.startedAt) : 0;
  let left: Edit[] = [];
  const rounds = Math.min(status.restartCount, earlierRuns);
  const work = allWork / rounds;
  for (let round = 0; round < rounds; round++) {
    const { pod, view } = whole;
    const outside = [...left, ...others.filter((one) => one.atMs <= startMs)].map((one) => ({ ...one, atMs: 0 }));
    const { edits } = runOf({ pod, view, container: spec, startMs: 0, untilMs: startMs, outside, work });
    const made = mapped(whole, edits, spec, spec, false).map((edit) => ({ ...edit, atMs: 0 }));
    if (made.length === 0) break;
    left = [...left, ...made];
  }
  return left.map((edit) => ({ ...edit, atMs: startMs }));
}
