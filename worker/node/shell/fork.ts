// What a script starts beside itself: it has its own time, and what it does reaches the others when it happens.
import type { Process } from "./process.ts";
import { type Shell, subshell, toChunks } from "./shell.ts";

export function fork(shell: Shell): Shell {
  const process: Process = {
    ...shell.process,
    files: new Map(shell.process.files),
    edits: [],
    outside: [...shell.process.outside],
    chunks: [],
    jobs: [],
    // SIGTERM reaches the first process alone.
    termMs: Number.POSITIVE_INFINITY,
  };
  return {
    ...subshell(shell),
    process,
    out: toChunks(process, "stdout"),
    err: toChunks(process, "stderr"),
    traps: new Map(),
    own: false,
  };
}

export function join({ process: inner }: Shell, shell: Shell): void {
  const { process } = shell;
  process.stepsLeft = inner.stepsLeft;
  process.chunks.push(...inner.chunks);
  process.edits.push(...inner.edits);
  process.outside.push(...inner.edits);
  process.outside.sort((a, b) => a.atMs - b.atMs);
  process.restless ||= inner.restless;
  process.server ??= inner.server;
  process.jobs.push(inner.paused ? Number.POSITIVE_INFINITY : inner.clockMs);
  shell.exitCode = 0;
}
