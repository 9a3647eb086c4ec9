// What a container has printed and done so far, and what a command does in it: for `kubectl logs`, `exec` and `cp`.
import type { ContainerStateTerminated, ContainerStatus, Pod } from "../../shared/k8s/api/core-v1.ts";
import { must } from "../../shared/base/assert.ts";
import { byteLength } from "../../shared/base/byte-text.ts";
import { countBefore } from "../../shared/base/partition.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { rotationsOf } from "./logs/newest-file.ts";
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

/** A line, dated with its last part. */
export interface Line extends Chunk {
  /** It is the last, and has no end. */
  readonly isOpen?: true;
}

/** A run, and how it ended if it has. */
export interface FoundRun {
  readonly run: Trace;
  readonly ended: ContainerStateTerminated | undefined;
}

/** The lines of a run, as far as it was followed, in the order of time and without their ends. */
export function linesOf({ run, ended }: FoundRun): readonly Line[] {
  if (!ended?.finishedAt) return joined(run.chunks, ended !== undefined);
  const untilMs = wholeSecond(ended.finishedAt);
  return joined(
    run.chunks.filter((one) => one.atMs <= untilMs),
    true,
  );
}

/** A run, with what probes left in its log. */
export interface FoundLog extends FoundRun {
  readonly startMs: number;
  readonly probed: Probed;
}

/** Of visits by probes to a program's own server the newest are gone through. */
const probeVisits = 20;

const unprobed: Probed = { lines: [], visits: [], knownMs: Number.POSITIVE_INFINITY };

/** The same as `runOfStatus`, for who reads its log. `aheadMs`: how far the probes to come are wanted. */
export function logOfStatus(
  pod: Pod,
  name: string,
  view: ClusterView,
  nowMs: number,
  previous: boolean,
  aheadMs = 0,
): FoundLog | undefined {
  const found = runOfStatus(pod, name, view, nowMs, previous);
  if (!found) return undefined;
  const { state, lastState } = must(placedOf(pod).find((one) => one.spec.name === name)?.status, "a status");
  const began = found.ended ?? state.running ?? lastState.terminated;
  const startMs = began?.startedAt ? parseTime(began.startedAt) : nowMs;
  const untilMs = found.ended?.finishedAt ? wholeSecond(found.ended.finishedAt) : nowMs;
  const probed = view.probed?.(pod, name, view, { startMs, untilMs }) ?? unprobed;
  const { revisited } = found.run;
  if (probed.visits.length === 0 || !revisited) return { ...found, startMs, probed };
  const visits = probed.visits.flatMap((one) => {
    const fromMs = untilMs - probeVisits * one.periodMs;
    return momentsIn(one, fromMs, untilMs + aheadMs).map((atMs) => one.editAt(atMs));
  });
  return { ...found, startMs, probed, run: revisited(visits, untilMs + aheadMs) };
}

/** What the file holds that a kubelet reads: the lines of the program and of its visitors by then, in the order of time. */
export function logLines({ probed, startMs, ...found }: FoundLog, untilMs: number): readonly Line[] {
  const own = linesOf(found);
  const lastMs = found.ended?.finishedAt ? wholeSecond(found.ended.finishedAt) : untilMs;
  const fromMs = rotationsOf(writtenBy(own, probed.lines), startMs, lastMs).at(-1);
  const shown = fromMs === undefined ? own : own.filter(({ atMs }) => atMs > fromMs);
  if (probed.lines.length === 0) return shown;
  const all = [...shown];
  for (const one of probed.lines) {
    for (const atMs of momentsIn(one, (fromMs ?? startMs - 1) + 1, lastMs)) {
      for (const text of one.textAt(atMs).replace(/\n$/, "").split("\n")) all.push({ atMs, stream: one.stream, text });
    }
  }
  return all.sort((a, b) => a.atMs - b.atMs);
}

/** What stands before a line in its file: the time, the stream, and whether it is whole. */
const prefixBytes = "2026-01-01T00:00:00.000000000Z stdout F ".length;

/** Bytes in all files by a moment. */
function writtenBy(own: readonly Line[], probes: readonly ProbeLines[]): (atMs: number) => number {
  const sums: number[] = [];
  let sum = 0;
  for (const { text } of own) sums.push((sum += prefixBytes + byteLength(text) + 1));
  const sizes = probes.map((one) => {
    const text = one.textAt(one.firstMs);
    return byteLength(text) + prefixBytes * (text.split("\n").length - 1);
  });
  return (atMs) => {
    const before = sums[countBefore(own, (one) => one.atMs <= atMs) - 1] ?? 0;
    return probes.reduce((bytes, one, at) => bytes + countBy(one, atMs) * (sizes[at] ?? 0), before);
  };
}

export interface ExecOutput {
  readonly chunks: readonly Chunk[];
  /** Absent if it still runs at `untilMs`. */
  readonly end: { readonly atMs: number; readonly exitCode: number } | undefined;
  /** What it changed: `ClusterView.edits` is to give it back from now on. */
  readonly edits: readonly Edit[];
}

/** A command in a running container; undefined if it does not run, `missing` if there is no such program. */
export function execOutput(
  pod: Pod,
  name: string,
  view: ClusterView,
  found: FoundRun | undefined,
  command: {
    readonly words: readonly string[];
    readonly input?: string | Typed;
    readonly nowMs: number;
    readonly untilMs: number;
  },
): ExecOutput | { readonly missing: string } | undefined {
  const container = placedOf(pod).find((one) => one.spec.name === name)?.spec;
  if (!found || found.ended || !container) return undefined;
  const { run } = found;
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
  /** When it will end, or has, though its status does not say so yet. */
  readonly endsMs?: number;
}

/** Whether the run that began by `sinceMs` is the one before the present. */
export function isPreviousRun(pod: Pod, name: string, sinceMs: number): boolean {
  const status = placedOf(pod).find((one) => one.spec.name === name)?.status;
  const startedAt = status?.state.running?.startedAt ?? status?.state.terminated?.startedAt;
  // Stored times are of whole seconds, and a start may be dated a moment ahead: only an end that came since tells of another run.
  const endedAt = status?.lastState.terminated?.finishedAt;
  return !startedAt || (parseTime(startedAt) > sinceMs && !!endedAt && parseTime(endedAt) + 999 >= sinceMs);
}

/** What a container prints as it runs, for those who are attached to it. */
export function attachedOutput({ run, ended }: FoundRun, nowMs: number): AttachedOutput {
  if (!ended) return { chunks: run.chunks, end: undefined, ...(run.end ? { endsMs: run.end.atMs } : {}) };
  const atMs = Math.min(nowMs, ended.finishedAt ? wholeSecond(ended.finishedAt) : nowMs);
  return { chunks: run.chunks.filter((one) => one.atMs <= atMs), end: { atMs, exitCode: ended.exitCode } };
}

/** The present run of a container, or the one before, followed to `nowMs`; undefined if there was none. */
export function runOfStatus(
  pod: Pod,
  name: string,
  view: ClusterView,
  nowMs: number,
  previous: boolean,
): FoundRun | undefined {
  const containers = placedOf(pod);
  const placed = containers.find((one) => one.spec.name === name);
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

/** Stored times are cut to seconds: what was done in the last of them was done as well. */
function wholeSecond(time: string): number {
  return parseTime(time) + 999;
}

export function placedOf({ spec, status }: Pod): Placed[] {
  const statuses: readonly ContainerStatus[] = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].flatMap((one) => {
    const found = statuses.find((each) => each.name === one.name);
    return found ? [{ spec: one, status: found }] : [];
  });
}

/** Chunks of the same stream are joined until a line ends; what never ends is a line only once all has ended. */
function joined(chunks: readonly Chunk[], hasEnded: boolean): Line[] {
  const lines: Line[] = [];
  const open: Partial<Record<Chunk["stream"], string>> = {};
  let lastMs = 0;
  for (const { atMs, stream, text } of chunks) {
    const parts = ((open[stream] ?? "") + text).split("\n");
    open[stream] = parts.pop() ?? "";
    for (const part of parts) lines.push({ atMs, stream, text: part });
    lastMs = atMs;
  }
  for (const stream of ["stdout", "stderr"] as const) {
    const rest = open[stream];
    if (rest && hasEnded) lines.push({ atMs: lastMs, stream, text: rest, isOpen: true });
  }
  return lines;
}
