// A shell in a container's process.
import { isProbe } from "../wasm/visits.ts";
import { limits } from "../../../shared/base/limits.ts";
import * as base from "../../../shared/shell/evaluate/shell.ts";
import { charge, heapBytes } from "../../../shared/shell/meter.ts";
import { after, type Deferred } from "../../../shared/shell/task.ts";
import type { Chunk, Process } from "./process.ts";

export { halted, isDash, leave, redirected, setVariable, subshell } from "../../../shared/shell/evaluate/shell.ts";
export type { Sink } from "../../../shared/shell/evaluate/shell.ts";

/** Input of a shell or a program; `rest` has not been read yet. */
export interface Input {
  rest: string;
  /** Waits for more and adds it to `rest`. Returns false if there is none, or none yet. Undefined if all input is in `rest`. */
  readonly more?: (process: Process) => boolean;
  /** Returns when `more` can continue; Infinity if that is not known. Undefined: at once. */
  readonly nextMs?: () => number;
}

export interface Shell extends base.Shell {
  readonly process: Process;
  input: Input | undefined;
}

/** Creates a shell. */
export function newShell(
  process: Process,
  options: Pick<Shell, "host" | "variables" | "out" | "err" | "run" | "runText"> & Partial<Shell>,
): Shell {
  return { ...base.newShell(process, { startMs: process.clockMs, ...options }), process, input: options.input };
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

/** Returns the output of open stages of pipelines as if each were the last. It is shown while the run is suspended. */
export function openChunks({ horizon }: Process, atMs: number): Chunk[] {
  const all = [...horizon.pipes];
  return all.flatMap(({ text, target }) => {
    let to: base.Sink | undefined = target;
    while (to && !streams.has(to)) {
      const sink: base.Sink = to;
      to = all.find((pipe) => pipe.out === sink)?.target;
    }
    const stream = to && streams.get(to);
    return stream === undefined || text === "" ? [] : [{ atMs, stream, text }];
  });
}

/** The bytes of a chunk in addition to its text. */
const chunkBytes = 64;

function print(process: Process, chunk: Chunk): void {
  const { chunks, meter } = process;
  const size = heapBytes(chunk.text);
  charge(process, 0.5 + size / 1024);
  const storedChunk =
    size > limits.containerLogBytes ? { ...chunk, text: chunk.text.slice(-limits.containerLogBytes / 2) } : chunk;
  chunks.push(storedChunk);
  if (process.series.isOpen) process.series.chunks.push(storedChunk);
  meter.log += Math.min(size, limits.containerLogBytes) + chunkBytes;
  if (meter.log > limits.containerLogBytes) forgetOldest(process);
}

/** Drops half of the output, as a kubelet rotates a log. */
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
  process.series.chunks = process.series.chunks.filter((chunk) => chunk.atMs >= firstMs);
}

/** Removes the output of a loop's rounds before a time, because equal rounds have been skipped. */
export function forgetSeries({ chunks, meter, series }: Process, beforeMs: number): void {
  const forgotten = new Set(series.chunks.filter((chunk) => chunk.atMs < beforeMs));
  if (forgotten.size === 0) return;
  series.chunks = series.chunks.filter((chunk) => !forgotten.has(chunk));
  const left = chunks.filter((chunk) => !forgotten.has(chunk));
  chunks.length = 0;
  for (const chunk of left) chunks.push(chunk);
  for (const { text } of forgotten) meter.log -= heapBytes(text) + chunkBytes;
}

/** Runs something whose only lasting effects are files and output. The other memory that it held is released. */
export function scoped<Result>({ process: { meter, files } }: Shell, run: () => Deferred<Result>): Deferred<Result> {
  const before = meter.bytes - files.bytes;
  return after(run(), (result) => {
    meter.bytes = before + files.bytes;
    return result;
  });
}
