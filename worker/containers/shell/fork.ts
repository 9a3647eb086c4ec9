// What a script starts beside itself: it has its own time, and what it does reaches the others when it happens.
import { limits } from "../../../shared/base/limits.ts";
import { charge, Stopped } from "../../../shared/shell/meter.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { Thread } from "./drive.ts";
import type { Edit } from "./files.ts";
import { spawn } from "./system-call.ts";
import { type Job, newSeries, type Process } from "./process.ts";
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
  const job = new BackgroundJob(process, inner.process, run(inner));
  process.running.push(job);
  yield* spawn(process, job);
  process.jobs.push(job);
}

/** Resumes the jobs that a process started, in the order of their start: each before the processes that see what it does. */
export function resumeJobs({ running }: Process): void {
  for (const job of [...running]) job.resume();
}

class BackgroundJob implements Job {
  readonly process: Process;
  readonly #parent: Process;
  readonly #thread: Thread;
  endMs = Number.POSITIVE_INFINITY;
  /** Edits that have reached the others. */
  #joined = 0;
  #depth: number;
  #bytes: number;

  constructor(parent: Process, process: Process, task: Task<void>) {
    this.process = process;
    this.#parent = parent;
    this.#thread = new Thread(task);
    this.#depth = parent.meter.depth;
    this.#bytes = parent.meter.bytes;
  }

  /** Goes on up to the horizon. Its memory and its stack are counted beside those of the process that started it. */
  resume(): void {
    const { meter } = this.process;
    const { depth, bytes } = meter;
    meter.depth = this.#depth;
    meter.bytes = this.#bytes;
    meter.forks++;
    try {
      resumeJobs(this.process);
      this.#thread.resume();
    } catch (error) {
      // A job that is no further than its parent has spent what the parent needs as well.
      if (error instanceof Stopped && error.how === "spent" && this.process.clockMs <= this.#parent.clockMs)
        meter.forks--;
      if (!(error instanceof Stopped) || error.how === "spent") throw error;
      // The kernel ends the container for its memory, but for its stack only the job.
      if (error.how === "oom") meter.oomMs = Math.min(meter.oomMs, this.process.clockMs);
    } finally {
      this.#join();
    }
    this.#depth = meter.depth;
    this.#bytes = meter.bytes;
    meter.depth = depth;
    meter.bytes = bytes;
    meter.forks--;
  }

  nextMs(): number {
    const own = this.process.paused ? Number.POSITIVE_INFINITY : this.#thread.nextMs();
    return Math.min(own, ...this.process.running.map((one) => one.nextMs()));
  }

  /** Hands on what it has done since it was joined before: to its parent, and to what the parent started after it. */
  #join(): void {
    const { process } = this;
    const parent = this.#parent;
    const { running } = parent;
    parent.restless ||= process.restless;
    parent.server ??= process.server;
    if (this.#thread.hasEnded && !process.paused) this.endMs = process.clockMs;
    const made = process.edits.slice(this.#joined);
    this.#joined = process.edits.length;
    const later = running.slice(running.indexOf(this) + 1);
    if (this.#thread.hasEnded && process.running.length === 0) running.splice(running.indexOf(this), 1);
    if (made.length === 0) return;
    // Taken here, missed by the next command: nothing is thrown while a job is joined.
    parent.meter.work -= (parent.outside.length - parent.outsideAt + made.length) / 4;
    for (const one of made) parent.edits.push(one);
    addOutside(parent, made);
    for (const one of later) addOutsideBelow(one.process, made);
  }
}

/** Adds them for its jobs as well. */
export function addOutsideBelow(process: Process, edits: readonly Edit[]): void {
  addOutside(process, edits);
  for (const one of process.running) addOutsideBelow(one.process, edits);
}

/** Adds changes that have not come yet, in the order of time. */
function addOutside({ outside, outsideAt }: Process, edits: readonly Edit[]): void {
  const next = [...outside.splice(outsideAt), ...edits].sort((a, b) => a.atMs - b.atMs);
  for (const one of next) outside.push(one);
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
    running: [],
    series: newSeries(),
    // SIGTERM reaches the first process alone.
    termMs: Number.POSITIVE_INFINITY,
  };
  process.files.pays = (units) => charge(process, units);
  return {
    ...subshell(shell),
    variables: shell.variables.beside(process),
    functions: shell.functions.beside(process),
    attributes: shell.attributes.beside(process),
    process,
    out: toChunks(process, "stdout"),
    err: toChunks(process, "stderr"),
    traps: new Map(),
    takesProcess: false,
  };
}
