// Keeps one workerd serving. Miniflare restarts workerd once, and gives up if the successor dies while it starts. So each run of workerd has
// a Miniflare of its own, and this file decides about the next run. The states:
//
//   starting    The first run. It serves after `prepare` is done.
//   serving     The watchdog checks that the Worker answers.
//   restarting  The previous run has ended. Another is started: at once after a run that served long, else after a growing pause.
//   ended       A signal ended the service, or no run served in time. No other run is started.
import { messageOf } from "./refusal.ts";
import { answers, openWatchdog } from "./watchdog.ts";

export type SupervisorState = "starting" | "serving" | "restarting" | "ended";

/** The end of a process. */
export interface ProcessEnd {
  /** The signal, or the exit code. */
  readonly reason: string;
  /** Whether a signal ended it, so that the next run may succeed. */
  readonly isKilled: boolean;
}

/** A run of workerd. */
export interface Runtime {
  /** Resolves when workerd listens; rejects if workerd ended before. */
  readonly ready: Promise<unknown>;
  /** Resolves when workerd has ended. */
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
  /** Kills workerd and removes the files that Miniflare created for this run. */
  close(): Promise<void>;
}

export interface SupervisorOptions<R extends Runtime> {
  open(): R;
  /** Prepares the service before it serves for the first time. It is repeated if workerd is killed meanwhile, so it is idempotent. */
  prepare(runtime: R): Promise<unknown>;
  /** Resolves when the Worker has answered. */
  ask(signal: AbortSignal): Promise<unknown>;
  log(line: string): void;
}

export interface Supervisor {
  readonly state: SupervisorState;
  /** Resolves when the service serves for the first time; rejects if it cannot. */
  readonly served: Promise<void>;
  /** Resolves with the message if a service that has served could not be restarted. */
  readonly failed: Promise<string>;
  /** Ends the current run, and starts no other. */
  end(): Promise<void>;
}

/** Milliseconds until a run must serve, counted from the last kill. Runs that end by themselves share the time. */
const bounds = { starting: 60_000, restarting: 18_000 } as const;
/** The limit of consecutive runs that a signal ended before they served. More kills have a common cause, such as a lack of memory. */
const killsInRow = 20;
/** A run that served for this long is followed by the next one without a pause. */
const stableMs = 10_000;
const firstPauseMs = 100;
const longestPauseMs = 1_000;
const askPauseMs = 100;
/** The exit of a killed workerd is reported a moment after its connections broke. */
const endReportMs = 500;
const closeMs = 2_000;

/** The error of a run that ended before it served, or did not serve in time. */
class RunFailure extends Error {
  override name = "RunFailure";
  readonly isKilled: boolean;

  constructor({ reason, isKilled }: ProcessEnd) {
    super(reason);
    this.isKilled = isKilled;
  }
}

interface RunEnd extends ProcessEnd {
  readonly hasServed: boolean;
  /** Whether the run served so long that its end does not predict the next run's. */
  readonly isStable: boolean;
}

/** A period in which no run serves. */
interface Outage {
  sinceMs: number;
  /** The time of the last kill: each kill gives the next run its full time. */
  deadlineFromMs: number;
  /** Kills of runs that had not served. */
  kills: number;
  /** Milliseconds before the next run. */
  pauseMs: number;
}

export function supervise<R extends Runtime>(options: SupervisorOptions<R>): Supervisor {
  return new RuntimeSupervisor(options).begin();
}

class RuntimeSupervisor<R extends Runtime> implements Supervisor {
  state: SupervisorState = "starting";
  readonly #options: SupervisorOptions<R>;
  readonly #served = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<string>();
  readonly #stop = new AbortController();
  #isPrepared = false;
  #over: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions<R>) {
    this.#options = options;
  }

  get served(): Promise<void> {
    return this.#served.promise;
  }

  get failed(): Promise<string> {
    return this.#failed.promise;
  }

  begin(): this {
    this.#over = this.#run().catch((error: unknown) => {
      const hasServed = this.state === "restarting";
      this.state = "ended";
      if (hasServed) this.#failed.resolve(messageOf(error));
      else this.#served.reject(error);
    });
    return this;
  }

  async end(): Promise<void> {
    this.state = "ended";
    this.#stop.abort();
    await this.#over;
  }

  async #run(): Promise<void> {
    const outage: Outage = { sinceMs: Date.now(), deadlineFromMs: Date.now(), kills: 0, pauseMs: 0 };
    for (;;) {
      const end = await this.#runOnce(outage);
      if (this.#isEnded()) return;
      if (end.hasServed) Object.assign(outage, { sinceMs: Date.now(), kills: 0 });
      if (end.hasServed || end.isKilled) outage.deadlineFromMs = Date.now();
      if (end.isStable) outage.pauseMs = 0;
      if (end.isKilled) outage.kills++;
      if (end.hasServed) this.state = "restarting";
      const { pauseMs } = outage;
      if (this.#leftMs(outage) <= pauseMs || outage.kills > killsInRow) throw new Error(this.#surrender(end.reason));
      this.#options.log(`workerd ended (${end.reason}) and is started again${pauseMs > 0 ? ` in ${pauseMs} ms` : ""}`);
      await pause(pauseMs, this.#stop.signal);
      if (this.#isEnded()) return;
      outage.pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
    }
  }

  /** Throws if another run would end the same way. */
  async #runOnce(outage: Outage): Promise<RunEnd> {
    const runtime = this.#options.open();
    try {
      await this.#untilServing(runtime, this.#leftMs(outage));
      if (this.#isEnded()) return { reason: "", isKilled: false, hasServed: false, isStable: false };
      this.#noteServing(outage);
      const sinceMs = Date.now();
      const end = await this.#whileServing(runtime);
      return { ...end, hasServed: true, isStable: Date.now() - sinceMs >= stableMs };
    } catch (error) {
      if (!(this.#isEnded() || error instanceof RunFailure)) throw error;
      const isKilled = error instanceof RunFailure && error.isKilled;
      return { reason: messageOf(error), isKilled, hasServed: false, isStable: false };
    } finally {
      await this.#close(runtime);
    }
  }

  #boundMs(): number {
    return this.state === "restarting" ? bounds.restarting : bounds.starting;
  }

  #leftMs({ deadlineFromMs }: Outage): number {
    return deadlineFromMs + this.#boundMs() - Date.now();
  }

  #isEnded(): boolean {
    return this.state === "ended";
  }

  #noteServing({ sinceMs }: Outage): void {
    if (this.state === "restarting")
      this.#options.log(`Sandbar serves again after ${((Date.now() - sinceMs) / 1000).toFixed(1)} s`);
    this.state = "serving";
    this.#served.resolve();
  }

  #surrender(reason: string): string {
    return `workerd could not be started within ${this.#boundMs() / 1000} seconds (${reason}). Start Sandbar again: what it acknowledged is stored.`;
  }

  /** Throws a `RunFailure` if another run may succeed. Returns early if the supervisor ends. */
  async #untilServing(runtime: R, limitMs: number): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#stop.signal]);
    try {
      await Promise.race([this.#bring(runtime, signal), refuseAfter(limitMs, signal)]);
    } catch (error) {
      if (this.#isEnded() || error instanceof RunFailure) throw error;
      // If workerd ends by itself at the first start, it would do so again: its configuration or its binary is wrong.
      const end = await Promise.race([runtime.ended, pause(endReportMs, this.#stop.signal)]);
      if (!end?.isKilled && this.state === "starting") throw error;
      throw new RunFailure(end?.isKilled ? end : { reason: messageOf(error), isKilled: false });
    } finally {
      over.abort();
    }
  }

  async #bring(runtime: R, signal: AbortSignal): Promise<void> {
    const { prepare } = this.#options;
    // Miniflare's error arrives a moment later than the exit, and has workerd's output.
    await Promise.race([runtime.ready, refuseAtEnd(runtime, endReportMs)]);
    if (!this.#isPrepared) await Promise.race([prepare(runtime), refuseAtEnd(runtime)]);
    this.#isPrepared = true;
    await Promise.race([this.#answer(signal), refuseAtEnd(runtime)]);
  }

  async #answer(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await answers(this.#options.ask))) await pause(askPauseMs, signal);
  }

  /** Resolves when the run has ended, or when the supervisor ends. */
  async #whileServing(runtime: R): Promise<ProcessEnd> {
    const { ask, log } = this.#options;
    const closeWatchdog = openWatchdog({ ask, log, kill: () => runtime.kill() });
    const over = new AbortController();
    const end = await Promise.race([runtime.ended, aborted(AbortSignal.any([over.signal, this.#stop.signal]))]);
    closeWatchdog();
    over.abort();
    return end ?? { reason: "", isKilled: false };
  }

  /** Returns after a time limit, so that a Miniflare that hangs at its end does not delay the next run. */
  async #close(runtime: R): Promise<void> {
    runtime.kill();
    await Promise.race([runtime.close().catch(() => undefined), pause(closeMs)]);
  }
}

async function refuseAtEnd(runtime: Runtime, delayMs = 0): Promise<never> {
  const { reason } = await runtime.ended;
  await pause(delayMs);
  throw new Error(reason);
}

async function refuseAfter(limitMs: number, signal: AbortSignal): Promise<never> {
  await pause(limitMs, signal);
  throw new RunFailure({ reason: `it did not serve within ${Math.round(limitMs / 1000)} seconds`, isKilled: false });
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}

/** Resolves after a time, or at once if the signal aborts. */
async function pause(ms: number, signal: AbortSignal = new AbortController().signal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  const over = new AbortController();
  await Promise.race([promise, aborted(AbortSignal.any([over.signal, signal]))]);
  over.abort();
  clearTimeout(timer);
  return undefined;
}
