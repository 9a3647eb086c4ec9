// Follows a run of an operator, and waits until the operator and its cluster are at rest. The operator is at rest if it requests and
// computes nothing for a time. Then the cluster's clock jumps from one due request to the next. The cluster is at rest if nothing changes in
// that run of the clock.
import type { FaultList } from "../index.ts";
import { isLock } from "./history.ts";

type Injection = FaultList["injections"][number];

/** The process of the operator. */
export interface FollowedProcess {
  /** The time of its last start in milliseconds; undefined between its end and its next start. */
  readonly startedMs: number | undefined;
  /** The number of its ends that no fault caused. */
  readonly exits: number;
  /** Reports whether it has computed since the last call. Always false if the platform does not tell. */
  isComputing(): boolean;
  /** Kills it, ends the faults that disconnect it, and starts it again. */
  crash(faults: readonly string[]): Promise<void>;
}

export interface RestOptions {
  readonly process: FollowedProcess;
  /** The fault that records the operator's requests. */
  readonly recordFault: string;
  /** The faults that end when the operator and its cluster are at rest. */
  readonly endsAtRest: ReadonlySet<string>;
  /** The milliseconds by which faults delay answers, by the name of the fault. */
  readonly delaysMs: ReadonlyMap<string, number>;
  /** The time without a request after which the operator is at rest. */
  readonly idleMs: number;
  /** The number of the process's ends at which it is given up. Undefined: it is never given up. */
  readonly maxExits?: number | undefined;
  /** The time after which a step is not waited for any longer. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  nowMs(): number;
  sleep(ms: number): Promise<void>;
  /** Returns the state of the faults, and the injections after a number. */
  readFaults(since: number): Promise<FaultList>;
  endFault(name: string): Promise<void>;
  /** Runs the cluster's clock until nothing changes. */
  runClock(): Promise<{ readonly isQuiet: boolean; readonly changes: number }>;
}

/** The pause between two looks at the process, and the usual one between two reads of the faults. */
const lookMs = 50;
const readMs = 250;
/** The share of the time that reads may take, so that they do not make a busy service busier. */
const readShare = 1 / 10;
/** A process that has requested nothing since its start is not at rest until so much time has passed. */
const startMs = 3000;
/** A fault that ends at rest ends after so much time even if no rest comes, because the fault itself may prevent it. */
const heldMs = 5000;
/** While a step runs, the clock runs whenever the operator has been idle for so long. */
const stepIdleMs = 400;

/** A read that has been repeated so often since the start of the process is its poll, which goes on while it is at rest. */
const maxRepeats = 5;
const reads = new Set(["get", "list"]);

/** The resources that every client requests while it is at rest: leader election and events. */
const background = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

export class Rest {
  readonly #options: RestOptions;
  readonly injections: Injection[] = [];
  #faults: FaultList["faults"] = [];
  /** The times at which faults that end at rest were first seen active. */
  readonly #heldSinceMs = new Map<string, number>();
  /** How often each read was repeated since the start of the process. */
  readonly #repeats = new Map<string, number>();
  #since = 0;
  /** The time of the last sign of activity. */
  #activeMs: number;
  #requestedMs = Number.NEGATIVE_INFINITY;
  /** The longest time without activity after which the operator went on. */
  longestPauseMs = 0;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#activeMs = options.nowMs();
  }

  /** The faults as last read. */
  get faults(): FaultList["faults"] {
    return this.#faults;
  }

  /** Waits until the operator and its cluster are at rest. Returns false after the limit. */
  async settle(): Promise<boolean> {
    const { runClock, endsAtRest } = this.#options;
    const untilMs = this.#options.nowMs() + this.#options.limitMs;
    while (await this.#becomesIdle(untilMs)) {
      const { isQuiet, changes } = await runClock();
      if (!isQuiet || changes > 0) this.#activeMs = this.#options.nowMs();
      else if (!(await this.#endFaults((name) => endsAtRest.has(name)))) return true;
    }
    return false;
  }

  /** Ends all faults that can be felt, and waits for rest. */
  async conclude(): Promise<boolean> {
    const { recordFault } = this.#options;
    await this.observe();
    if (await this.#endFaults((name) => name !== recordFault)) return this.settle();
    return true;
  }

  /** Follows the operator while a step of the workload is performed, and runs the clock for a step that waits for the cluster. */
  async during<T>(step: Promise<T>): Promise<T> {
    let isPerformed = false;
    const performed = step.finally(() => (isPerformed = true)).catch(() => undefined);
    this.#activeMs = this.#options.nowMs();
    for (;;) {
      await Promise.race([performed, this.#options.sleep(readMs)]);
      if (isPerformed) break;
      await this.observe();
      if (this.#idleMs() < stepIdleMs) continue;
      await this.#options.runClock();
      this.#activeMs = this.#options.nowMs();
    }
    this.#activeMs = this.#options.nowMs();
    return step;
  }

  /** Reads what happened since the last call, and restarts the operator if a fault has disconnected it. */
  async observe(): Promise<void> {
    const { process, recordFault, delaysMs, maxExits = Number.POSITIVE_INFINITY } = this.#options;
    if (process.exits >= maxExits) throw new Error(`the operator ended ${process.exits} times`);
    const { faults, injections } = await this.#options.readFaults(this.#since);
    const nowMs = this.#options.nowMs();
    this.#faults = faults;
    this.#since = injections.at(-1)?.number ?? this.#since;
    this.injections.push(...injections);
    if (injections.filter((injection) => injection.fault === recordFault && this.#isActivity(injection)).length > 0) {
      this.longestPauseMs = Math.max(this.longestPauseMs, nowMs - this.#activeMs);
      this.#activeMs = this.#requestedMs = Math.max(this.#activeMs, nowMs);
    }
    for (const { fault } of injections) {
      const delayMs = delaysMs.get(fault);
      if (delayMs !== undefined) this.#activeMs = Math.max(this.#activeMs, nowMs + delayMs);
    }
    const crashes = faults.filter(({ action, state }) => action === "disconnect" && state === "active");
    if (crashes.length > 0) {
      this.#repeats.clear();
      await process.crash(crashes.map(({ name }) => name));
    }
    await this.#endFaults((name) => this.#isHeldTooLong(name, nowMs));
    if (process.isComputing() || this.#isStarting()) this.#activeMs = Math.max(this.#activeMs, this.#options.nowMs());
  }

  #isActivity({ verb = "", resource = "", namespace = "", name = "" }: Injection): boolean {
    if (resource === "" || background.has(resource) || isLock({ resource, name })) return false;
    if (!reads.has(verb)) return true;
    const key = `${verb} ${resource} ${namespace}/${name}`;
    const repeats = (this.#repeats.get(key) ?? 0) + 1;
    this.#repeats.set(key, repeats);
    return repeats <= maxRepeats;
  }

  #isStarting(): boolean {
    const { startedMs } = this.#options.process;
    if (startedMs === undefined) return true;
    return this.#requestedMs <= startedMs && this.#options.nowMs() - startedMs < startMs;
  }

  #idleMs(): number {
    return this.#options.nowMs() - this.#activeMs;
  }

  async #becomesIdle(untilMs: number): Promise<boolean> {
    const { nowMs, sleep, idleMs, signal, process } = this.#options;
    for (let nextReadMs = Number.NEGATIVE_INFINITY; ; ) {
      if (process.isComputing()) this.#activeMs = Math.max(this.#activeMs, nowMs());
      // The faults are read when the process has been idle for long enough, which costs fewer requests than to read them all the time.
      if (this.#idleMs() >= idleMs || nowMs() >= nextReadMs) {
        const beganMs = nowMs();
        await this.observe();
        nextReadMs = nowMs() + Math.max(readMs, (nowMs() - beganMs) / readShare);
        if (this.#idleMs() >= idleMs) return true;
      }
      if (signal.aborted || nowMs() >= untilMs) return false;
      await sleep(Math.min(lookMs, Math.max(1, idleMs - this.#idleMs())));
    }
  }

  #isHeldTooLong(name: string, nowMs: number): boolean {
    if (!this.#options.endsAtRest.has(name)) return false;
    const sinceMs = this.#heldSinceMs.get(name) ?? nowMs;
    this.#heldSinceMs.set(name, sinceMs);
    return nowMs - sinceMs >= heldMs;
  }

  /** Ends the active faults that are selected. Returns whether there were any. */
  async #endFaults(isEnded: (name: string) => boolean): Promise<boolean> {
    const ended = this.#faults.filter((fault) => fault.state === "active" && isEnded(fault.name));
    for (const { name } of ended) await this.#options.endFault(name);
    if (ended.length > 0) this.#activeMs = this.#options.nowMs();
    this.#faults = this.#faults.filter((fault) => !ended.includes(fault));
    return ended.length > 0;
  }
}
