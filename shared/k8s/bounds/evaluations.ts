// Results of the expressions of admission policies for one request, over all the turns that the request takes.
import { limits } from "../../base/limits.ts";
import type { WorkMeter } from "./work.ts";
import { AnotherTurn } from "../outbound-call.ts";

/**
 * Evaluations of one request. If those of one turn are long, the request goes on in another turn, which finds their results here.
 * All of them share the budget of one request.
 */
export class Evaluations {
  /** Results by subject, then by key. */
  readonly #results = new Map<string, Map<string, { readonly value: unknown }>>();
  /** Work of all evaluations, and of those since the last pause. */
  #work = 0;
  #unpaused = 0;

  /**
   * Returns the result for the subject and the key, or evaluates. Subject (such as a policy with its binding and parameters) and key (such as
   * the index of an expression) together determine the result. Throws `AnotherTurn` if others must have their turn first: the caller ends
   * the turn and repeats the request, which finds its results here.
   */
  once<T>(subject: string, key: string, meter: WorkMeter, evaluate: () => T): T {
    const results = this.#results.get(subject) ?? new Map<string, { readonly value: unknown }>();
    this.#results.set(subject, results);
    const cached = results.get(key);
    // A key always has results of one type.
    if (cached) return cached.value as T;
    if (this.#unpaused > limits.unpausedWork) {
      this.#unpaused = 0;
      throw new AnotherTurn();
    }
    const before = meter.spent;
    try {
      const value = meter.within(evaluate, limits.requestWork - this.#work);
      results.set(key, { value });
      return value;
    } finally {
      this.#work += meter.spent - before;
      this.#unpaused += meter.spent - before;
    }
  }
}
