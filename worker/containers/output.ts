// The output of a container and of commands in it, for `kubectl logs`, `exec` and `cp`.
import type { ContainerStateTerminated, ContainerStatus, Pod } from "../../shared/k8s/api/core-v1.ts";
import { must } from "../../shared/base/assert.ts";
import { byteLength } from "../../shared/base/byte-text.ts";
import { countBefore } from "../../shared/base/partition.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { rotationsOf } from "./logs/rotation.ts";
import type { Probed, ProbeLines } from "./cri.ts";
import { countBy, momentsIn } from "../../shared/k8s/cron/recurring.ts";
import { filesAt } from "./run/files-at.ts";
import { execIn } from "./run/run.ts";
import { type Placed, runFrom } from "./run/shared.ts";
import type { ClusterView } from "./run/world.ts";
import type { Edit } from "./shell/files.ts";
import { isTyped, type Typed, typedInput } from "./shell/input.ts";
import type { Chunk } from "./shell/process.ts";
import { unknownServer } from "./shell/not-simulated.ts";
import type { Trace } from "./shell/trace.ts";

/** A line, dated with its last chunk. */
export interface Line extends Chunk {
  /** Whether the line is the last and has no line end. */
  readonly isOpen?: true;
}

/** A run, with its end if it has ended. */
export interface FoundRun {
  readonly run: Trace;
  readonly ended: ContainerStateTerminated | undefined;
}

/** Returns the lines of a run as far as it was followed, in the order of time and without line ends. */
export function linesOf({ run, ended }: FoundRun): readonly Line[] {
  if (!ended?.finishedAt) return joinLines(run.chunks, ended !== undefined);
  const untilMs = wholeSecond(ended.finishedAt);
  return joinLines(
    run.chunks.filter((chunk) => chunk.atMs <= untilMs),
    true,
  );
}

/** A run, with the effects of probes on its log. */
export interface FoundLog extends FoundRun {
  readonly startMs: number;
  readonly probed: Probed;
}

/** The number of the newest probe requests to a program's own server that are computed. */
const probeVisits = 20;

const unprobed: Probed = { lines: [], visits: [], knownMs: Number.POSITIVE_INFINITY };

/** Returns the same as `runOfStatus`, for a reader of the log. `aheadMs`: how far future probes are needed. */
export function logOfStatus(
  pod: Pod,
  name: string,
  view: ClusterView,
  nowMs: number,
  previous: boolean,
  aheadMs = 0,
): FoundLog | undefined {
  const foundRun = runOfStatus(pod, name, view, nowMs, previous);
  if (!foundRun) return undefined;
  const { state, lastState } = must(placedOf(pod).find((placed) => placed.spec.name === name)?.status, "a status");
  const began = foundRun.ended ?? state.running ?? lastState.terminated;
  const startMs = began?.startedAt ? parseTime(began.startedAt) : nowMs;
  const untilMs = foundRun.ended?.finishedAt ? wholeSecond(foundRun.ended.finishedAt) : nowMs;
  const probed = view.probed?.(pod, name, view, { startMs, untilMs }) ?? unprobed;
  const { revisited } = foundRun.run;
  if (probed.visits.length === 0 || !revisited) return { ...foundRun, startMs, probed };
  const visits = probed.visits.flatMap((visit) => {
    const fromMs = untilMs - probeVisits * visit.periodMs;
    return momentsIn(visit, fromMs, untilMs + aheadMs).map((atMs) => visit.editAt(atMs));
  });
  return { ...foundRun, startMs, probed, run: revisited(visits, untilMs + aheadMs) };
}

/** Returns the lines of the log file that a kubelet reads: those of the program and of its visitors, in the order of time. */
export function logLines({ probed, startMs, ...foundRun }: FoundLog, untilMs: number): readonly Line[] {
  const programLines = linesOf(foundRun);
  const lastMs = foundRun.ended?.finishedAt ? wholeSecond(foundRun.ended.finishedAt) : untilMs;
  const fromMs = rotationsOf(writtenBy(programLines, probed.lines), startMs, lastMs).at(-1);
  const keptLines = fromMs === undefined ? programLines : programLines.filter(({ atMs }) => atMs > fromMs);
  if (probed.lines.length === 0) return keptLines;
  const all = [...keptLines];
  for (const series of probed.lines) {
    for (const atMs of momentsIn(series, (fromMs ?? startMs - 1) + 1, lastMs)) {
      for (const text of series.textAt(atMs).replace(/\n$/, "").split("\n"))
        all.push({ atMs, stream: series.stream, text });
    }
  }
  return all.sort((a, b) => a.atMs - b.atMs);
}

/** The length of the prefix of a line in a log file: time, stream, and the mark of a complete line. */
const prefixBytes = "2026-01-01T00:00:00.000000000Z stdout F ".length;

/** Returns a function that counts the bytes in all log files at a time. */
function writtenBy(programLines: readonly Line[], probes: readonly ProbeLines[]): (atMs: number) => number {
  const sums: number[] = [];
  let sum = 0;
  for (const { text } of programLines) sums.push((sum += prefixBytes + byteLength(text) + 1));
  const sizes = probes.map((series) => {
    const text = series.textAt(series.firstMs);
    return byteLength(text) + prefixBytes * (text.split("\n").length - 1);
  });
  return (atMs) => {
    const before = sums[countBefore(programLines, (line) => line.atMs <= atMs) - 1] ?? 0;
    return probes.reduce((bytes, series, at) => bytes + countBy(series, atMs) * (sizes[at] ?? 0), before);
  };
}

export interface ExecOutput {
  readonly chunks: readonly Chunk[];
  /** Undefined if the command still runs at `untilMs`. */
  readonly end: { readonly atMs: number; readonly exitCode: number } | undefined;
  /** The changes that the command made. From now on `ClusterView.edits` must return them. */
  readonly edits: readonly Edit[];
}

/** Runs a command in a running container. Returns undefined if the container does not run, and `missing` if there is no such program. */
export function execOutput(
  pod: Pod,
  name: string,
  view: ClusterView,
  foundRun: FoundRun | undefined,
  command: {
    readonly words: readonly string[];
    readonly input?: string | Typed;
    readonly nowMs: number;
    readonly untilMs: number;
  },
): ExecOutput | { readonly missing: string } | undefined {
  const container = placedOf(pod).find((placed) => placed.spec.name === name)?.spec;
  if (!foundRun || foundRun.ended || !container) return undefined;
  const { run } = foundRun;
  const files = filesAt(run, command.nowMs);
  const { input, ...rest } = command;
  const read = input === undefined || typeof input === "string" ? input : typedInput(input);
  const { ports, server } = run;
  const beside = server === undefined || server === unknownServer ? undefined : { server, ports };
  const policy = typeof read !== "string" && isTyped(read) && read.isTerminal ? "fail" : "say";
  const question = { pod, container, view, files, ports, beside, policy, prints: true, ...rest } as const;
  return execIn(read === undefined ? question : { ...question, input: read });
}

export interface AttachedOutput extends Pick<ExecOutput, "chunks" | "end"> {
  /** The end of the container, if it is known before the status shows it. */
  readonly endsMs?: number;
}

/** Reports whether the run that began by `sinceMs` is the one before the present run. */
export function isPreviousRun(pod: Pod, name: string, sinceMs: number): boolean {
  const status = placedOf(pod).find((placed) => placed.spec.name === name)?.status;
  const startedAt = status?.state.running?.startedAt ?? status?.state.terminated?.startedAt;
  // Stored times have whole seconds, and a start may be dated a moment ahead. So only an end after `sinceMs` proves that there was another run.
  const endedAt = status?.lastState.terminated?.finishedAt;
  return !startedAt || (parseTime(startedAt) > sinceMs && !!endedAt && parseTime(endedAt) + 999 >= sinceMs);
}

/** Returns the output of a container for clients that are attached to it. */
export function attachedOutput({ run, ended }: FoundRun, nowMs: number): AttachedOutput {
  if (!ended) return { chunks: run.chunks, end: undefined, ...(run.end ? { endsMs: run.end.atMs } : {}) };
  const atMs = Math.min(nowMs, ended.finishedAt ? wholeSecond(ended.finishedAt) : nowMs);
  return { chunks: run.chunks.filter((chunk) => chunk.atMs <= atMs), end: { atMs, exitCode: ended.exitCode } };
}

/** Returns the present run of a container or the one before, followed to `nowMs`; undefined if there was none. */
export function runOfStatus(
  pod: Pod,
  name: string,
  view: ClusterView,
  nowMs: number,
  previous: boolean,
): FoundRun | undefined {
  const containers = placedOf(pod);
  const placed = containers.find((candidate) => candidate.spec.name === name);
  if (!placed) return undefined;
  const { state, lastState, restartCount } = placed.status;
  const ended = previous || state.waiting ? lastState.terminated : state.terminated;
  const startedAt = ended ? ended.startedAt : state.running?.startedAt;
  if (!startedAt || (previous && !ended)) return undefined;
  const counted = previous ? { ...placed, status: { ...placed.status, restartCount: restartCount - 1 } } : placed;
  const options = { untilMs: ended?.finishedAt ? wholeSecond(ended.finishedAt) : nowMs, prints: true };
  return {
    run: runFrom({ pod, view, containers, alone: new Map() }, counted, parseTime(startedAt), options, []),
    ended,
  };
}

/** Returns the last millisecond of a stored time, which is truncated to seconds. */
function wholeSecond(time: string): number {
  return parseTime(time) + 999;
}

export function placedOf({ spec, status }: Pod): Placed[] {
  const statuses: readonly ContainerStatus[] = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].flatMap((spec) => {
    const containerStatus = statuses.find((each) => each.name === spec.name);
    return containerStatus ? [{ spec, status: containerStatus }] : [];
  });
}

/** Joins chunks of the same stream into lines. A last line without an end counts only after the run has ended. */
function joinLines(chunks: readonly Chunk[], hasEnded: boolean): Line[] {
  const lines: Line[] = [];
  const open: Partial<Record<Chunk["stream"], string>> = {};
  let lastMs = 0;
  for (const { atMs, stream, text } of chunks) {
    const pieces = ((open[stream] ?? "") + text).split("\n");
    open[stream] = pieces.pop() ?? "";
    for (const piece of pieces) lines.push({ atMs, stream, text: piece });
    lastMs = atMs;
  }
  for (const stream of ["stdout", "stderr"] as const) {
    const rest = open[stream];
    if (rest && hasEnded) lines.push({ atMs: lastMs, stream, text: rest, isOpen: true });
  }
  return lines;
}
