// What a script starts beside itself: it has its own time, and what it does reaches the others when it happens.
import { limits } from "../../../shared/base/limits.ts";
import { charge, Stopped } from "../../../shared/shell/meter.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { spawn } from "./system-call.ts";
import type { Process } from "./process.ts";
import { complain } from "../../../shared/shell/evaluate/complaints.ts";
import { type Shell, subshell, toChunks } from "./shell.ts";

/** Runs a job in the background; the exit code of the command that began it is 0. */
export function* inBackground(shell: Shell, run: (inner: Shell) => Task<void>): Task<void> {
  const { process } = shell;
  const { meter } = process;
  shell.exitCode = 0;
  if (meter.forks >= limits.shellForks) {
    complain(shell, {
      ash: "can't fork: Resource temporarily unavailable",
      dash: "Cannot fork",
      bash: "fork: Resource temporarily unavailable",
    });
    shell.exitCode = 2;
    return;
  }
  const inner = fork(shell);
  const { depth } = meter;
  const held = meter.bytes;
  meter.forks++;
  try {
    yield* spawn(inner.process, run(inner));
  } catch (error) {
    if (!(error instanceof Stopped) || error.how === "spent") throw error;
    // The kernel ends the container for its memory, but for its stack only the job.
    if (error.how === "oom") meter.oomMs = Math.min(meter.oomMs, inner.process.clockMs);
    meter.depth = depth;
  } finally {
    join(inner.process, process);
  }
  meter.bytes = held;
  meter.forks--;
}

function fork(shell: Shell): Shell {
  const { outside, outsideAt, files } = shell.process;
  charge(shell.process, 5 + (outside.length - outsideAt) / 50);
  const process: Process = {
    ...shell.process,
    files: files.copy(),
    edits: [],
    outside: outside.slice(outsideAt),
    outsideAt: 0,
    jobs: [],
    // SIGTERM reaches the first process alone.
    termMs: Number.POSITIVE_INFINITY,
  };
  process.files.pays = (units) => charge(process, units);
  return {
    ...subshell(shell),
    variables: shell.variables.inside(process),
    functions: shell.functions.inside(process),
    attributes: shell.attributes.inside(process),
    process,
    out: toChunks(process, "stdout"),
    err: toChunks(process, "stderr"),
    traps: new Map(),
    own: false,
  };
}

function join(inner: Process, process: Process): void {
  const { outside, outsideAt } = process;
  process.restless ||= inner.restless;
  process.server ??= inner.server;
  process.jobs.push(inner.paused ? Number.POSITIVE_INFINITY : inner.clockMs);
  if (inner.edits.length === 0) return;
  // Taken here, missed by the next command: nothing is thrown while a job is joined.
  process.meter.work -= (outside.length - outsideAt + inner.edits.length) / 4;
  for (const one of inner.edits) process.edits.push(one);
  process.outside = [...outside.slice(outsideAt), ...inner.edits].sort((a, b) => a.atMs - b.atMs);
  process.outsideAt = 0;
}
