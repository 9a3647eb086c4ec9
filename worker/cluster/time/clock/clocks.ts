// Answers the edge's calls about a cluster's clock: reads it, sets it, and runs it forward.
import type {
  ChangedClock,
  ClockFacts,
  ClockRun,
  ClusterClockRpc,
  PatchClock,
  SetClock,
} from "../../../../shared/contract/cluster/clock.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { TurnOrder } from "../../../api/api-server.ts";
import type { Slots } from "../../../api/filters/load.ts";
import type { Cluster } from "../../cluster.ts";
import { goneError, replacedError } from "../../state/ended.ts";
import { refusalOf } from "../../state/states.ts";
import type { ClusterClock } from "./cluster-clock.ts";
import { ConditionProblem, conditionOf } from "./condition.ts";
import { ClockRunner, type RunGoal } from "./run.ts";

/** The parts of an open cluster that the clock needs. */
export interface ClockedCluster extends Pick<Cluster, "registry" | "runtime"> {
  readonly clock: ClusterClock;
  readonly news: { tellAll(): void };
  readonly load: { readonly calls: Pick<Slots, "free" | "limited"> };
}

export interface ClocksHost<Open extends ClockedCluster> {
  /** Undefined if there is no cluster any more. */
  current(): Open | undefined;
  readonly turns: TurnOrder;
  /** Lets others have a turn. */
  pause(): Promise<void>;
  /** Waits for so many milliseconds of real time. */
  wait(ms: number): Promise<void>;
  realMs(): number;
  /** Returns a function that reports whether a turn that begins now has taken as long as one may. */
  isLater(): () => boolean;
  /** Does what is due and may have killed the process before, one request at a time. */
  drainCarefully(open: Open): Promise<void>;
  /** Tells watches what was written in a turn, and asks outside what controllers wait for. */
  flush(open: Open): void;
  /** Sets the alarm for what is due on the clock as it runs now. */
  settle(open: Open): void;
  /** Sets an alarm, should the object die in a run. */
  keepAlive(): void;
}

/** Milliseconds between two looks at whether somebody outside has answered. */
const answerPollMs = 5;
const dayMs = 24 * 3_600_000;

class Refused extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export class Clocks<Open extends ClockedCluster> implements ClusterClockRpc {
  readonly #host: ClocksHost<Open>;
  /** The runs under way, by cluster; a cluster without one has been run before. */
  readonly #runs = new WeakMap<Open, { runner: ClockRunner | undefined }>();

  constructor(host: ClocksHost<Open>) {
    this.#host = host;
  }

  async getClock(): Promise<ClockFacts | undefined> {
    const open = this.#host.current();
    return open && factsOf(open.clock);
  }

  async setClock(change: PatchClock): Promise<SetClock> {
    const open = this.#host.current();
    try {
      if (!open) throw goneError();
      if (open.clock.isDriven) return { ok: false, code: "busy", message: "the clock is being run: ask again later" };
      return { ok: true, ...(await this.#set(open, change)) };
    } catch (error) {
      if (error instanceof Refused)
        return { ok: false, code: "invalid_field", message: error.message, field: error.field };
      return refusalOf(error);
    }
  }

  async #set(open: Open, change: PatchClock): Promise<ChangedClock> {
    const { state, speed, now } = change;
    if (now !== undefined && now < open.clock.nowMs())
      throw new Refused("now", "now: a cluster's time never goes back");
    const goal = goalOf(open, change, Math.max(now ?? 0, open.clock.nowMs()));
    const isSet = state !== undefined || speed !== undefined || now !== undefined;
    if (isSet) {
      const setting = {
        ...(state === undefined ? {} : { state }),
        ...(speed === undefined ? {} : { speed }),
        ...(now === undefined ? {} : { nowMs: now }),
      };
      open.clock.set(setting);
      if (!goal) this.#settled(open);
    }
    const run = goal && (await this.#run(open, goal, change.limit.real));
    return { ...factsOf(open.clock), ...(run ? { run } : {}) };
  }

  async #run(open: Open, goal: RunGoal, realLimitMs: number): Promise<ClockRun> {
    const { realMs, pause } = this.#host;
    const beganMs = realMs();
    const runner = new ClockRunner(open, goal);
    this.#listen(open).runner = runner;
    let aliveMs = Number.NEGATIVE_INFINITY;
    try {
      for (;;) {
        if (realMs() - aliveMs >= limits.clockRunAlarmMs) {
          this.#host.keepAlive();
          aliveMs = realMs();
        }
        await pause();
        this.#require(open);
        if (open.runtime.isCareful()) await this.#host.drainCarefully(open);
        this.#require(open);
        const end = await this.#turn(open, runner);
        if (goal.condition?.problem !== undefined)
          throw new Refused("runUntil.expression", `runUntil.expression: ${goal.condition.problem}`);
        const tookMs = realMs() - beganMs;
        if (end !== undefined || tookMs >= realLimitMs) return runner.result(end ?? "realLimit", tookMs);
      }
    } finally {
      this.#listen(open).runner = undefined;
      runner.end();
      if (this.#host.current() === open) this.#settled(open);
    }
  }

  async #turn(open: Open, runner: ClockRunner): Promise<ClockRun["end"] | undefined> {
    const { calls } = open.load;
    const isWaiting = calls.free < calls.limited;
    if (isWaiting) await this.#host.wait(answerPollMs);
    this.#require(open);
    return this.#host.turns.measure(() => {
      try {
        return runner.turn(this.#host.isLater(), !isWaiting);
      } finally {
        open.clock.save();
        this.#host.flush(open);
      }
    });
  }

  #require(open: Open): void {
    const current = this.#host.current();
    if (current !== open) throw current ? replacedError() : goneError();
  }

  /** The clock runs otherwise than before: what is due later comes at another real time. */
  #settled(open: Open): void {
    open.news.tellAll();
    this.#host.settle(open);
  }

  #listen(open: Open): { runner: ClockRunner | undefined } {
    const listening = this.#runs.get(open);
    if (listening) return listening;
    const fresh: { runner: ClockRunner | undefined } = { runner: undefined };
    this.#runs.set(open, fresh);
    open.registry.store.onChange((change) => fresh.runner?.note(change));
    return fresh;
  }
}

function factsOf(clock: ClusterClock): ClockFacts {
  return { now: new Date(clock.nowMs()).toISOString(), state: clock.state, speed: clock.speed };
}

/** Returns when a run ends; undefined if none was asked for. */
function goalOf(open: Pick<Cluster, "registry">, change: PatchClock, nowMs: number): RunGoal | undefined {
  const { advance, runUntil, quietFor, limit } = change;
  const limitMs = limit.simulated ?? Number.POSITIVE_INFINITY;
  if (advance !== undefined) {
    return { fromMs: nowMs, untilMs: nowMs + Math.min(advance, limitMs), isLimit: limitMs < advance };
  }
  if (runUntil === undefined) return undefined;
  if (typeof runUntil === "number") {
    if (runUntil < nowMs) throw new Refused("runUntil", "runUntil: a cluster's time never goes back");
    if (runUntil - nowMs > limits.clockRunMs) throw new Refused("runUntil", "runUntil: must be at most 366d ahead");
    return { fromMs: nowMs, untilMs: Math.min(runUntil, nowMs + limitMs), isLimit: nowMs + limitMs < runUntil };
  }
  const bounded = { fromMs: nowMs, untilMs: nowMs + (limit.simulated ?? dayMs), isLimit: true };
  if (runUntil === "quiet") return { ...bounded, quietMs: quietFor };
  try {
    return { ...bounded, condition: conditionOf(open.registry, runUntil) };
  } catch (error) {
    if (error instanceof ConditionProblem)
      throw new Refused("runUntil.expression", `runUntil.expression: ${error.message}`);
    throw error;
  }
}
