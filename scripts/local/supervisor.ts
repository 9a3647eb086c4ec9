// Keeps one workerd serving. Miniflare restarts workerd once and gives up if the successor dies while it starts, so each run of workerd has a
// Miniflare of its own, and this file decides about the next run. The states:
//
//   starting    The first run. It serves after `prepare` is done.
//   serving     The watchdog asks the Worker.
//   restarting  The run before has ended. Another is started: at once after a run that served long, else after a growing pause.
//   ended       A signal ended the service, or no run served in time. No other run is started.
import { messageOf } from "./refusal.ts";
import { answers, openWatchdog } from "./watchdog.ts";

export type SupervisorState = "starting" | "serving" | "restarting" | "ended";

/** The end of a process. */
export interface ProcessEnd {
  /** The signal, or the exit code. */
  readonly reason: string;
  /** A signal ended it, so the next run may succeed. */
  readonly isKilled: boolean;
}

/** One run of workerd. */
export interface Runtime {
  /** Resolves when workerd listens; rejects if workerd ended before. */
  readonly ready: Promise<unknown>;
  /** Resolves when workerd has ended. */
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
  /** Kills workerd and removes what Miniflare made for this run. */
  close(): Promise<void>;
}

export interface SupervisorOptions<R extends Runtime> {
  open(): R;
  /** Does what the service needs before it serves for the first time. Repeated if workerd is killed meanwhile, so it is idempotent. */
  prepare(runtime: R): Promise<unknown>;
  /** Resolves when the Worker has answered. */
  ask(signal: AbortSignal): Promise<unknown>;
  log(line: string): void;
}

export interface Supervisor {
  readonly state: SupervisorState;
  /** Resolves when the service serves for the first time; rejects if it cannot. */
  readonly served: Promise<void>;
  /** Resolves with the message if the service, having served, could not be restarted. */
  readonly failed: Promise<string>;
  /** Ends the current run, and starts no other. */
  end(): Promise<void>;
}

/** Milliseconds for one run to serve, and for as many runs as it takes. */
const bounds = {
  starting: { runMs: 45_000, allMs: 60_000 },
  restarting: { runMs: 12_000, allMs: 18_000 },
} as const;
/** A run that served for so long is followed by the next one without a pause. */
const stableMs = 10_000;
const firstPauseMs = 100;
const longestPauseMs = 1_000;
const askPauseMs = 100;
/** The exit of a killed workerd is reported a moment after its connections broke. */
const endReportMs = 500;
const closeMs = 2_000;

/** A run that ended, or did not serve in time. */
class RunFailure extends Error {
  override name = "RunFailure";
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
    let outageMs = Date.now();
    let pauseMs = 0;
    for (;;) {
      const { runMs, allMs } = this.state === "restarting" ? bounds.restarting : bounds.starting;
      const leftMs = outageMs + allMs - Date.now();
      const runtime = this.#options.open();
      let reason = "";
      let servedMs = 0;
      try {
        await this.#untilServing(runtime, Math.min(runMs, leftMs));
        if (this.#isEnded()) return;
        this.#noteServing(outageMs);
        const sinceMs = Date.now();
        reason = await this.#whileServing(runtime);
        outageMs = Date.now();
        servedMs = outageMs - sinceMs;
      } catch (error) {
        if (!(this.#isEnded() || error instanceof RunFailure)) throw error;
        reason = messageOf(error);
      } finally {
        await this.#close(runtime);
      }
      if (this.#isEnded()) return;
      if (servedMs > 0) this.state = "restarting";
      if (servedMs >= stableMs) pauseMs = 0;
      if (Date.now() + pauseMs >= outageMs + allMs) throw new Error(this.#surrender(reason, allMs));
      this.#options.log(`workerd ended (${reason}) and is started again${pauseMs > 0 ? ` in ${pauseMs} ms` : ""}`);
      await pause(pauseMs, this.#stop.signal);
      if (this.#isEnded()) return;
      pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
    }
  }

  #isEnded(): boolean {
    return this.state === "ended";
  }

  #noteServing(outageMs: number): void {
    if (this.state === "restarting")
      this.#options.log(`Sandbar serves again after ${((Date.now() - outageMs) / 1000).toFixed(1)} s`);
    this.state = "serving";
    this.#served.resolve();
  }

  #surrender(reason: string, allMs: number): string {
    return `workerd could not be started within ${allMs / 1000} seconds (${reason}). Start Sandbar again: what it acknowledged is stored.`;
  }

  /** Throws a `RunFailure` if another run may succeed. Returns early if the supervisor ends. */
  async #untilServing(runtime: R, limitMs: number): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#stop.signal]);
    try {
      await Promise.race([this.#bring(runtime, signal), refuseAfter(limitMs, signal)]);
    } catch (error) {
      if (this.#isEnded() || error instanceof RunFailure) throw error;
      // A workerd that ends by itself at the first start would do so again: its configuration or its binary is wrong.
      const end = await Promise.race([runtime.ended, pause(endReportMs, this.#stop.signal)]);
      if (!end?.isKilled && this.state === "starting") throw error;
      throw new RunFailure(end?.isKilled ? end.reason : messageOf(error));
    } finally {
      over.abort();
    }
  }

  async #bring(runtime: R, signal: AbortSignal): Promise<void> {
    const { prepare } = this.#options;
    // Miniflare's error comes a moment later than the exit, and has what workerd printed.
    await Promise.race([runtime.ready, refuseAtEnd(runtime, endReportMs)]);
    if (!this.#isPrepared) await Promise.race([prepare(runtime), refuseAtEnd(runtime)]);
    this.#isPrepared = true;
    await Promise.race([this.#answer(signal), refuseAtEnd(runtime)]);
  }

  async #answer(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await answers(this.#options.ask))) await pause(askPauseMs, signal);
  }

  /** Resolves with the reason when the run serves no more. */
  async #whileServing(runtime: R): Promise<string> {
    const { ask, log } = this.#options;
    const closeWatchdog = openWatchdog({ ask, log, kill: () => runtime.kill() });
    const over = new AbortController();
    const end = await Promise.race([runtime.ended, aborted(AbortSignal.any([over.signal, this.#stop.signal]))]);
    closeWatchdog();
    over.abort();
    return end?.reason ?? "";
  }

  /** Goes on after a bound, so that a Miniflare that hangs at its end does not delay the next run. */
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
  throw new RunFailure(`it did not serve within ${Math.round(limitMs / 1000)} seconds`);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}

/** Resolves after a time, or at once when the signal aborts. */
async function pause(ms: number, signal: AbortSignal = new AbortController().signal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  const over = new AbortController();
  await Promise.race([promise, aborted(AbortSignal.any([over.signal, signal]))]);
  over.abort();
  clearTimeout(timer);
  return undefined;
}
