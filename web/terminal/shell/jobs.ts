// Background jobs of the shell.

export interface Job {
  readonly id: number;
  readonly line: string;
  readonly stop: AbortController;
  readonly done: Promise<number>;
  /** Undefined while the job runs. */
  exitCode: number | undefined;
}

/** The maximum number of jobs. Further ones are refused. */
const maxJobs = 20;

export class Jobs {
  #all: Job[] = [];

  isFull(): boolean {
    return this.#all.length >= maxJobs;
  }

  start(line: string, run: (signal: AbortSignal) => Promise<number>): Job {
    const stop = new AbortController();
    const id = Math.max(0, ...this.#all.map((job) => job.id)) + 1;
    const done = run(stop.signal);
    const job: Job = { id, line, stop, done, exitCode: undefined };
    void done.then((code) => (job.exitCode = code));
    this.#all.push(job);
    return job;
  }

  all(): readonly Job[] {
    return this.#all;
  }

  /** Finds a job by `%1`, `1`, or the newest one. */
  find(name: string | undefined): Job | undefined {
    if (name === undefined || name === "%%" || name === "%+") return this.#all.at(-1);
    return this.#all.find(({ id }) => String(id) === name.replace(/^%/, ""));
  }

  /** Returns and forgets the jobs that ended since the last call. */
  takeEnded(): Job[] {
    const ended = this.#all.filter(({ exitCode }) => exitCode !== undefined);
    this.#all = this.#all.filter(({ exitCode }) => exitCode === undefined);
    return ended;
  }

  forget(job: Job): void {
    this.#all = this.#all.filter((candidate) => candidate !== job);
  }

  stopAll(): void {
    for (const { stop } of this.#all) stop.abort();
  }
}

/** Formats a job like `jobs`. */
export function jobLine({ id, line, exitCode, stop }: Job, isNewest: boolean): string {
  const state =
    exitCode === undefined
      ? "Running"
      : stop.signal.aborted
        ? "Terminated"
        : exitCode === 0
          ? "Done"
          : `Exit ${exitCode}`;
  return `[${id}]${isNewest ? "+" : "-"}  ${state.padEnd(22)} ${line}${exitCode === undefined ? " &" : ""}\n`;
}
