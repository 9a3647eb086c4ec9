// A shell in a container's process.
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
  return (text) => {
    if (text !== "") print(process, { atMs: process.clockMs, stream, text });
  };
}

/** What a chunk takes beside its text. */
const chunkBytes = 64;

function print(process: Process, chunk: Chunk): void {
  const { chunks, meter } = process;
  const size = heapBytes(chunk.text);
  charge(process, 0.5 + size / 1024);
  chunks.push(
    size > limits.containerLogBytes ? { ...chunk, text: chunk.text.slice(-limits.containerLogBytes / 2) } : chunk,
  );
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
}

/** Runs what leaves nothing behind but files and what it printed: what it held besides is given back. */
export function scoped<Result>({ process: { meter, files } }: Shell, run: () => Deferred<Result>): Deferred<Result> {
  const before = meter.bytes - files.bytes;
  return after(run(), (result) => {
    meter.bytes = before + files.bytes;
    return result;
  });
}
