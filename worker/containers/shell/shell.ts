// A shell in a container's process.
import { isProbe } from "../wasm/visits.ts";
import { limits } from "../../../shared/base/limits.ts";
import * as base from "../../../shared/shell/evaluate/shell.ts";
import { charge, heapBytes } from "../../../shared/shell/meter.ts";
import { after, type Deferred } from "../../../shared/shell/task.ts";
import type { Chunk, Process } from "./process.ts";

export { halted, isDash, leave, redirected, setVariable, subshell } from "../../../shared/shell/evaluate/shell.ts";
export type { Sink } from "../../../shared/shell/evaluate/shell.ts";

/** Text that was not read yet. */
export interface Input {
  rest: string;
  /** Waits for more and adds it to `rest`; false if there is none, or none yet. Absent: all is there. */
  readonly more?: (process: Process) => boolean;
  /** When `more` can go on; Infinity if that is not known. Absent: at once. */
  readonly nextMs?: () => number;
}

export interface Shell extends base.Shell {
  readonly process: Process;
  input: Input | undefined;
}

/** A shell that has done nothing yet. */
export function newShell(
  process: Process,
  given: Pick<Shell, "host" | "variables" | "out" | "err" | "run" | "runText"> & Partial<Shell>,
): Shell {
  return { ...base.newShell(process, { startMs: process.clockMs, ...given }), process, input: given.input };
}

export function toChunks(process: Process, stream: "stdout" | "stderr"): base.Sink {
  const sink: base.Sink = (text) => {
    if (text === "") return;
    const isFromOutside = isProbe(process.horizon.visitId);
    print(process, { atMs: process.clockMs, stream, text, ...(isFromOutside ? { isFromOutside } : {}) });
  };
  streams.set(sink, stream);
  return sink;
}

const streams = new WeakMap<base.Sink, Chunk["stream"]>();

/** What stages of pipelines that have not ended would have printed, had they been the last: shown while the run is suspended. */
export function openChunks({ horizon }: Process, atMs: number): Chunk[] {
  const all = [...horizon.pipes];
  return all.flatMap(({ text, target }) => {
    let to: base.Sink | undefined = target;
    while (to && !streams.has(to)) {
      const sink: base.Sink = to;
      to = all.find((one) => one.out === sink)?.target;
    }
    const stream = to && streams.get(to);
    return stream === undefined || text === "" ? [] : [{ atMs, stream, text }];
  });
}

/** What a chunk takes beside its text. */
const chunkBytes = 64;

function print(process: Process, chunk: Chunk): void {
  const { chunks, meter } = process;
  const size = heapBytes(chunk.text);
  charge(process, 0.5 + size / 1024);
  const kept =
    size > limits.containerLogBytes ? { ...chunk, text: chunk.text.slice(-limits.containerLogBytes / 2) } : chunk;
  chunks.push(kept);
  if (process.series.isOpen) process.series.chunks.push(kept);
  meter.log += Math.min(size, limits.containerLogBytes) + chunkBytes;
  if (meter.log > limits.containerLogBytes) forgetOldest(process);
}

/** Half of what was printed, as a kubelet rotates a log. */
function forgetOldest(process: Process): void {
  const { chunks, meter } = process;
  charge(process, chunks.length / 20);
  chunks.sort((a, b) => a.atMs - b.atMs);
  let at = 0;
  for (; at < chunks.length - 1 && meter.log > limits.containerLogBytes / 2; at++) {
    meter.log -= heapBytes(chunks[at]?.text ?? "") + chunkBytes;
  }
  chunks.splice(0, at);
  const firstMs = chunks[0]?.atMs ?? 0;
  process.series.chunks = process.series.chunks.filter((one) => one.atMs >= firstMs);
}

/** Takes back what rounds of a loop printed before a moment: rounds like them have been skipped. */
export function forgetSeries({ chunks, meter, series }: Process, beforeMs: number): void {
  const forgotten = new Set(series.chunks.filter((one) => one.atMs < beforeMs));
  if (forgotten.size === 0) return;
  series.chunks = series.chunks.filter((one) => !forgotten.has(one));
  const left = chunks.filter((one) => !forgotten.has(one));
  chunks.length = 0;
  for (const one of left) chunks.push(one);
  for (const { text } of forgotten) meter.log -= heapBytes(text) + chunkBytes;
}

/** Runs what leaves nothing behind but files and what it printed: what it held besides is given back. */
export function scoped<Result>({ process: { meter, files } }: Shell, run: () => Deferred<Result>): Deferred<Result> {
  const before = meter.bytes - files.bytes;
  return after(run(), (result) => {
    meter.bytes = before + files.bytes;
    return result;
  });
}
