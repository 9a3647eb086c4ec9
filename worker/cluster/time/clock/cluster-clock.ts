// The clock of a cluster: a value that its object keeps. It runs at a speed, it can be paused, and it can be moved forward.
import type { Clock } from "../../../../shared/base/clock.ts";
import type { ClockState } from "../../../../shared/contract/cluster/clock.ts";
import type { Sql } from "../../../store/sql.ts";
import { deleteMeta, readMeta, writeMeta } from "../../../store/tables.ts";

/** The cluster's time at one real moment, and how it goes on from there. */
export interface ClockSetting {
  /** Milliseconds since 1970 of the cluster's time at `realMs`. */
  readonly nowMs: number;
  /** Milliseconds since 1970 of real time. */
  readonly realMs: number;
  readonly state: ClockState;
  /** Seconds of the cluster in a real second. */
  readonly speed: number;
}

const key = "clock";

/** Returns the stored setting; undefined for a cluster that lives in real time, which is not stored. */
export function readClock(sql: Sql): ClockSetting | undefined {
  const text = readMeta(sql, key);
  // `writeClock` wrote it.
  return text === undefined ? undefined : (JSON.parse(text) as ClockSetting);
}

export function writeClock(sql: Sql, setting: ClockSetting | undefined): void {
  if (setting) writeMeta(sql, key, JSON.stringify(setting));
  else deleteMeta(sql, key);
}

export class ClusterClock implements Clock {
  readonly #sql: Sql;
  readonly #real: Clock;
  #setting: ClockSetting | undefined;
  /** The time at which the clock stands while `drive` holds it. */
  #drivenMs: number | undefined;

  /** Reads the setting that is stored. `real`: the machine's clock. */
  constructor(sql: Sql, real: Clock) {
    this.#sql = sql;
    this.#real = real;
    this.#setting = readClock(sql);
  }

  nowMs(): number {
    if (this.#drivenMs !== undefined) return this.#drivenMs;
    const setting = this.#setting;
    const realMs = this.#real.nowMs();
    if (!setting) return realMs;
    if (setting.state === "paused") return setting.nowMs;
    // A machine's clock that is set back does not set the cluster's back.
    return setting.nowMs + Math.floor(Math.max(0, realMs - setting.realMs) * setting.speed);
  }

  get state(): ClockState {
    return this.#setting?.state ?? "running";
  }

  get speed(): number {
    return this.#setting?.speed ?? 1;
  }

  /** Reports whether the clock was never set: it is the machine's. */
  get isReal(): boolean {
    return this.#setting === undefined && this.#drivenMs === undefined;
  }

  /** Reports whether a caller moves the clock, step by step. */
  get isDriven(): boolean {
    return this.#drivenMs !== undefined;
  }

  /** Returns the real time, in milliseconds since 1970, at which a moment of the cluster comes; Infinity while the clock is paused. */
  realMsOf(clusterMs: number): number {
    const realMs = this.#real.nowMs();
    const aheadMs = clusterMs - this.nowMs();
    if (aheadMs <= 0) return realMs;
    if (this.state === "paused" || this.isDriven) return Number.POSITIVE_INFINITY;
    return realMs + Math.ceil(aheadMs / this.speed);
  }

  /** Changes how the clock runs from now on; `nowMs` sets it forward, and never back. */
  set({ state = this.state, speed = this.speed, nowMs = 0 }: Partial<Omit<ClockSetting, "realMs">>): void {
    const setting = { nowMs: Math.max(nowMs, this.nowMs()), realMs: this.#real.nowMs(), state, speed };
    if (this.#drivenMs !== undefined) this.#drivenMs = setting.nowMs;
    this.#setting = setting;
    writeClock(this.#sql, setting);
  }

  /** Stops the clock where it is, until `release`: only `stepTo` moves it. */
  drive(): void {
    this.#drivenMs ??= this.nowMs();
  }

  /** Moves a driven clock forward; never back. */
  stepTo(ms: number): void {
    if (this.#drivenMs !== undefined) this.#drivenMs = Math.max(this.#drivenMs, ms);
  }

  /** Stores how far a driven clock has come: there it goes on if the object dies. */
  save(): void {
    this.set({});
  }

  /** Lets a driven clock go on by itself. */
  release(): void {
    if (this.#drivenMs === undefined) return;
    this.set({});
    this.#drivenMs = undefined;
  }
}

/** Dates an answer with the time of its cluster, where that is not real time. */
export function dateBy(clock: ClusterClock, headers: Headers): void {
  if (!clock.isReal && !headers.has("date")) headers.set("date", new Date(clock.nowMs()).toUTCString());
}
