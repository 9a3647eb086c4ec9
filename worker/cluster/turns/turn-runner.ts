// Runs the turns of requests. A write is answered first; controllers act on it when the burst of writes is over. After each turn watches are
// flushed and the alarm is set for what is due next.
import { limits } from "../../../shared/base/limits.ts";
import { isRefusedAsFull } from "../../store/full.ts";
import type { CurrentCluster } from "../lifecycle/current-cluster.ts";
import { dueMsOf, type Open, report } from "../open.ts";
import type { Alarm } from "./alarm.ts";
import { isLater } from "./pace.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** `atOnce`: controllers act in the same turn. `afterBurst`: they act after the burst of writes, if the turn has written. */
export type ControllersAct = "atOnce" | "afterBurst";

export interface TurnRunnerOptions {
  readonly current: CurrentCluster;
  readonly queue: TurnQueue;
  readonly alarm: Alarm;
  /** Makes the outbound calls that controllers wait for. */
  callOutside(open: Open): void;
  /** Keeps the object in memory until the promise is settled. */
  waitUntil(promise: Promise<unknown>): void;
}

export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  /** Whether an alarm drains. Requests are answered between its drains, and leave the controllers' work to it. */
  #isDraining = false;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
  }

  /** Runs one turn. Throws if `open` is no longer the open cluster. */
  run<T>(open: Open, body: () => T, controllersAct: ControllersAct = "afterBurst"): T {
    return this.#options.queue.measure(() => this.#run(open, body, controllersAct));
  }

  /** Runs the drains of an alarm. Meanwhile no request drains. */
  async drain(body: () => Promise<void>): Promise<void> {
    this.#isDraining = true;
    try {
      await body();
    } finally {
      this.#isDraining = false;
    }
  }

  /** Sends watches what was written, and makes the outbound calls that controllers wait for. */
  flush(open: Open): void {
    open.watches.flush();
    this.#options.callOutside(open);
  }

  /** Flushes, and sets the alarm for the next due request. */
  settle(open: Open): void {
    this.flush(open);
    const { alarm } = this.#options;
    // Setting an alarm costs a row write, so it is skipped while an alarm is running or already due: either sets the next one itself.
    if (this.#isDraining || open.clock.isDriven || alarm.dueMs <= Date.now()) return;
    const burstAlarmMs = Date.now() + limits.burstAlarmMs;
    const dueMs = open.burst.isOn ? burstAlarmMs : dueMsOf(open);
    // An alarm that is due soon serves the next burst, too.
    if (alarm.dueMs <= dueMs && alarm.dueMs <= burstAlarmMs) return;
    if (dueMs !== alarm.dueMs) void alarm.set(dueMs);
  }

  #run<T>(open: Open, body: () => T, controllersAct: ControllersAct): T {
    this.#options.current.require(open);
    const { store } = open.registry;
    const before = store.revision;
    try {
      const result = store.meter.within(body);
      const isRead = store.revision === before;
      const isWorkLeft = isRead || controllersAct === "atOnce" || this.#beginBurst(open, before);
      // If much is to be done, the alarm does it, and requests are answered in between.
      if (isWorkLeft && !this.#isDraining && !open.burst.isOn) this.#drainBriefly(open);
      return result;
    } finally {
      this.settle(open);
    }
  }

  /** Begins or continues a burst. Returns false if the write made nothing due, as most writes do: then no burst begins. */
  #beginBurst(open: Open, before: number): boolean {
    const { burst, runtime } = open;
    if (!burst.isWanted) return true;
    const isFirst = !burst.isOn;
    if (isFirst && !this.#isDraining && !reportFailure(() => runtime.readAhead(), true)) return false;
    burst.wrote(Date.now(), before);
    if (isFirst) this.#options.waitUntil(this.#actAfterBurst(open));
    return true;
  }

  async #actAfterBurst(open: Open): Promise<void> {
    const { current, queue, alarm } = this.#options;
    const { burst } = open;
    while (burst.isOn) {
      await scheduler.wait(Math.max(0, burst.leftMs(Date.now())));
      if (burst.leftMs(Date.now()) > 0) continue;
      await queue.next();
      burst.show(Date.now());
      if (current.open !== open) return;
      // The drains of an alarm read these writes from here on.
      if (this.#isDraining) continue;
      const spent = queue.measure(() => this.#drainBriefly(open));
      reportFailure(() => this.settle(open), undefined);
      // While other clients continue to write, the alarm does the rest of the work.
      if (burst.isOn && spent >= limits.drainPerRequest) void alarm.set(Date.now());
    }
  }

  #drainBriefly({ runtime, burst }: Open): number {
    return reportFailure(() => runtime.drain(limits.drainPerRequest, burst.before, isLater()), 0);
  }
}

/**
 * Runs controllers' work after a request. If it fails, the failure is reported and `otherwise` returned, because the request's writes stay.
 * The alarm continues the work: the queue is in memory, too.
 */
function reportFailure<T>(body: () => T, otherwise: T): T {
  try {
    return body();
  } catch (error) {
    if (!isRefusedAsFull(error)) report(error, "drain");
    return otherwise;
  }
}
