// Runs reconciles that make outbound calls. A reconcile is run again, with the same time and random numbers, until all its calls are
// answered. The state is in memory only: if the object is evicted, the calls are made again when the request is due.
import type { Random } from "../../shared/base/random.ts";
import { type RecordedRandom, recordedRandom } from "../../shared/base/recorded-random.ts";
import {
  type OutboundAnswer,
  answersFrom,
  keyOfCall,
  type OutboundCall,
  AnotherTurn,
  PendingCalls,
} from "../../shared/k8s/outbound-call.ts";
import type { Registry } from "../registry/registry.ts";
import { BudgetSpent } from "./budget-spent.ts";

interface Replay {
  readonly nowMs: number;
  readonly answers: Map<string, OutboundAnswer>;
  /** The random numbers of each write, by its number, so that a replay repeats neither the writes nor their random numbers. */
  readonly drawn: Map<number, RecordedRandom>;
  writes: number;
}

export class Replays {
  /** The registry that reconciles write to. */
  readonly registry: Registry;
  /** Whether the random numbers follow from a seed. */
  readonly isSeeded: boolean;
  readonly #base: Registry;
  readonly #replays = new Map<string, Replay>();
  /** The calls without an answer, with the origins that wait for them. */
  readonly #open = new Map<string, Set<string>>();
  readonly #untaken: OutboundCall[] = [];
  #running: { readonly replay: Replay; readonly revision: number } | undefined;

  constructor(base: Registry) {
    this.#base = base;
    this.isSeeded = base.random.begin !== undefined;
    const random: Random = {
      next: () => this.#random().next(),
      uuid: () => this.#random().uuid(),
      suffix: (length) => this.#random().suffix(length),
      begin: (purpose) => base.random.begin?.(purpose),
    };
    const clock = { nowMs: () => this.#running?.replay.nowMs ?? base.clock.nowMs() };
    this.registry = { ...base, random, clock, ask: (calls) => this.#ask(calls) };
  }

  /**
   * Runs `body` and returns its result, or "waiting" if it made a call without an answer. Then the caller runs it again after the answer.
   * `origin` identifies the caller.
   */
  run<T>(origin: string, body: () => T): T | "waiting" {
    const replay = this.#replays.get(origin);
    if (replay) return this.#again(origin, replay, body);
    try {
      return body();
    } catch (error) {
      if (!(error instanceof PendingCalls)) throw error;
      if (error instanceof AnotherTurn) throw new BudgetSpent();
      // The calls of the first run used random numbers that were not recorded.
      const first: Replay = { nowMs: this.#base.clock.nowMs(), answers: new Map(), drawn: new Map(), writes: 0 };
      return this.#again(origin, first, body);
    }
  }

  takeCalls(most: number): readonly OutboundCall[] {
    return this.#untaken.splice(0, most);
  }

  /** Records an answer. Returns the origins that waited for it. */
  answer(call: OutboundCall, answer: OutboundAnswer): Iterable<string> {
    this.#base.answered?.(call, answer);
    const key = keyOfCall(call);
    const origins = this.#open.get(key) ?? [];
    this.#open.delete(key);
    for (const origin of origins) this.#replays.get(origin)?.answers.set(key, answer);
    return origins;
  }

  #again<T>(origin: string, replay: Replay, body: () => T): T | "waiting" {
    const { store } = this.#base;
    for (const drawn of replay.drawn.values()) drawn.rewind();
    const { revision } = store;
    this.#running = { replay, revision };
    this.#replays.delete(origin);
    try {
      return body();
    } catch (error) {
      if (!(error instanceof PendingCalls)) throw error;
      replay.writes += store.revision - revision;
      this.#replays.set(origin, replay);
      if (error instanceof AnotherTurn) throw new BudgetSpent();
      for (const call of error.calls) this.#note(origin, call);
      return "waiting";
    } finally {
      this.#running = undefined;
    }
  }

  #note(origin: string, call: OutboundCall): void {
    const key = keyOfCall(call);
    const origins = this.#open.get(key);
    if (origins) {
      origins.add(origin);
      return;
    }
    this.#open.set(key, new Set([origin]));
    this.#untaken.push(call);
  }

  #ask(calls: readonly OutboundCall[]): readonly OutboundAnswer[] {
    if (!this.#running) throw new PendingCalls(calls);
    return answersFrom(this.#running.replay.answers, calls);
  }

  #random(): Random {
    if (!this.#running) return this.#base.random;
    const { replay, revision } = this.#running;
    const write = replay.writes + this.#base.store.revision - revision;
    let drawn = replay.drawn.get(write);
    if (!drawn) {
      drawn = recordedRandom(this.#base.random);
      replay.drawn.set(write, drawn);
    }
    return drawn;
  }
}
