// Background jobs of a script. A job has its own clock, and other processes see its effects when they happen.
import { limits } from "../../../shared/base/limits.ts";
import { charge, Stopped } from "../../../shared/shell/meter.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { Thread } from "./drive.ts";
import type { Edit } from "./files.ts";
import { spawn } from "./system-call.ts";
import { type Job, newSeries, type Process } from "./process.ts";
import { complain } from "../../../shared/shell/evaluate/complaints.ts";
import { type Shell, subshell, toChunks } from "./shell.ts";

/** Runs a job in the background. The exit code of the command that started it is 0. */
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

/** Resumes the jobs of a process in the order of their start, each before the processes that see its effects. */
export function resumeJobs({ running }: Process): void {
  for (const job of [...running]) job.resume();
}

class BackgroundJob implements Job {
  readonly process: Process;
  readonly #parent: Process;
  readonly #thread: Thread;
  endMs = Number.POSITIVE_INFINITY;
  /** The number of edits that other processes have received. */
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

  /** Runs the job up to the horizon. Its memory and its stack count towards the process that started it. */
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
      // A job that is no further than its parent has spent work that the parent needs too.
      if (error instanceof Stopped && error.how === "spent" && this.process.clockMs <= this.#parent.clockMs)
        meter.forks--;
      if (!(error instanceof Stopped) || error.how === "spent") throw error;
      // The kernel kills the whole container for its memory, but only the job for its stack.
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
    const ownMs = this.process.paused ? Number.POSITIVE_INFINITY : this.#thread.nextMs();
    return Math.min(ownMs, ...this.process.running.map((job) => job.nextMs()));
  }

  /** Passes new edits to the parent and to the jobs that the parent started later. */
  #join(): void {
    const { process } = this;
    const parent = this.#parent;
    const { running } = parent;
    parent.restless ||= process.restless;
    parent.server ??= process.server;
    if (this.#thread.hasEnded && !process.paused) this.endMs = process.clockMs;
    const newEdits = process.edits.slice(this.#joined);
    this.#joined = process.edits.length;
    const later = running.slice(running.indexOf(this) + 1);
    if (this.#thread.hasEnded && process.running.length === 0) running.splice(running.indexOf(this), 1);
    if (newEdits.length === 0) return;
    // The work is deducted here and the next command notices the lack of it, because nothing may be thrown while a job is joined.
    parent.meter.work -= (parent.outside.length - parent.outsideAt + newEdits.length) / 4;
    for (const newEdit of newEdits) parent.edits.push(newEdit);
    addOutside(parent, newEdits);
    for (const laterJob of later) addOutsideBelow(laterJob.process, newEdits);
  }
}

/** Adds edits to a process and to its jobs. */
export function addOutsideBelow(process: Process, edits: readonly Edit[]): void {
  addOutside(process, edits);
  for (const job of process.running) addOutsideBelow(job.process, edits);
}

/** Adds future changes, in the order of time. */
function addOutside({ outside, outsideAt }: Process, edits: readonly Edit[]): void {
  const next = [...outside.splice(outsideAt), ...edits].sort((a, b) => a.atMs - b.atMs);
  for (const nextEdit of next) outside.push(nextEdit);
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
    // Only the first process receives SIGTERM.
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
