// Commands that run in the background.

export interface Job {
  readonly id: number;
  readonly line: string;
  readonly stop: AbortController;
  readonly done: Promise<number>;
  /** Undefined as long as it runs. */
  exitCode: number | undefined;
}

/** More at once are refused. */
const maxJobs = 20;

export class Jobs {
  #all: Job[] = [];

  isFull(): boolean {
    return this.#all.length >= maxJobs;
  }

  start(line: string, run: (signal: AbortSignal) => Promise<number>): Job {
    const stop = new AbortController();
    const id = Math.max(0, ...this.#all.map((one) => one.id)) + 1;
    const done = run(stop.signal);
    const job: Job = { id, line, stop, done, exitCode: undefined };
    void done.then((code) => (job.exitCode = code));
    this.#all.push(job);
    return job;
  }

  all(): readonly Job[] {
    return this.#all;
  }

  /** `%1`, `1`, or the newest. */
  find(name: string | undefined): Job | undefined {
    if (name === undefined || name === "%%" || name === "%+") return this.#all.at(-1);
    return this.#all.find(({ id }) => String(id) === name.replace(/^%/, ""));
  }

  /** Those that ended since this was asked last; they are forgotten. */
  takeEnded(): Job[] {
    const ended = this.#all.filter(({ exitCode }) => exitCode !== undefined);
    this.#all = this.#all.filter(({ exitCode }) => exitCode === undefined);
    return ended;
  }

  forget(job: Job): void {
    this.#all = this.#all.filter((one) => one !== job);
  }

  stopAll(): void {
    for (const { stop } of this.#all) stop.abort();
  }
}

/** As `jobs` writes it. */
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
