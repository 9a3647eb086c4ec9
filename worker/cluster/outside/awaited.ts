// What watches ask outside: each question is asked once at a time, however often it comes.
import { keyOfCall, type OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import type { Open } from "../open.ts";

export class Awaited {
  readonly #keys = new Set<string>();

  /** Done when those that nobody has asked yet are answered; undefined where there are none. */
  answerAll({ registry, outside }: Pick<Open, "registry" | "outside">, calls: readonly OutboundCall[]) {
    // Each flush asks again for what is still awaited.
    const isNew = (one: OutboundCall) => !this.#keys.has(keyOfCall(one));
    const answered = calls.filter(isNew).map(async (one) => {
      const key = keyOfCall(one);
      this.#keys.add(key);
      const answer = await outside.ask(one);
      this.#keys.delete(key);
      registry.answered?.(one, answer);
    });
    return answered.length === 0 ? undefined : Promise.all(answered);
  }
}
