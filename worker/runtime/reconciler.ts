// Reconciles one request: calls its controller within a budget, and puts the request back into the queue if it is not complete.
import { must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { backoffMs } from "./backoff.ts";
import type { Result } from "./controller.ts";
import type { Pending, QueueKey, WorkQueue } from "./queue.ts";
import type { Replays } from "./replays.ts";
import type { RunningController, RunningControllers } from "./running-controllers.ts";
import type { ReconcileBudget } from "./reconcile-budget.ts";
import { BudgetSpent } from "./budget-spent.ts";

export interface ReconcilerOptions {
  readonly controllers: RunningControllers;
  readonly queue: WorkQueue;
  readonly replays: Replays;
  readonly budget: ReconcileBudget;
  nowMs(): number;
  /** Reports a bug. A request that failed an assertion is dropped, never retried. */
  report(error: unknown, where: string): void;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Reconciles a request that was taken from the queue. "waiting" if it waits for the answer of an outbound call. */
  reconcile(pending: Pending): "done" | "waiting" {
    const { controllers, queue, budget, nowMs: clockMs, report } = this.#options;
    const running = controllers.get(pending.controller);
    // Requests of a controller that no longer exists are dropped.
    if (!running) return "done";
    const origin = originOf(pending);
    controllers.actFor({ origin, reactsTo: pending.reactsTo ?? 0 });
    const nowMs = clockMs();
    try {
      const result = budget.reconcile(() => this.#run(running, pending));
      // The request continues when its calls are answered. If an answer is lost, it is due after a delay and makes the calls again.
      if (result === "waiting") {
        queue.again({ ...pending, dueMs: nowMs + limits.answerWaitMs });
        return "waiting";
      }
      if (result?.afterMs === undefined) return "done";
      const { afterMs, savedState } = result;
      queue.again({ ...pending, attempts: 0, savedState, dueMs: nowMs + Math.max(0, Math.ceil(afterMs)) });
    } catch (error) {
      if (error instanceof BudgetSpent) queue.again({ ...pending, dueMs: nowMs });
      else if (error instanceof ApiError) {
        const attempts = pending.attempts + 1;
        queue.again({ ...pending, attempts, dueMs: nowMs + backoffMs(pending.attempts) });
      } else report(error, origin);
    }
    return "done";
  }

  /** Takes the oldest outbound calls that nobody has made yet. */
  takeCalls(most: number): readonly OutboundCall[] {
    return this.#options.replays.takeCalls(most);
  }

  /** Records an answer and makes the waiting requests due now. */
  answer(call: OutboundCall, answer: OutboundAnswer): void {
    const { queue, replays, nowMs } = this.#options;
    const dueMs = nowMs();
    const origins = new Set(replays.answer(call, answer));
    for (const pending of queue.all()) if (origins.has(originOf(pending))) queue.add({ ...pending, dueMs });
  }

  #run({ client, event, memory, controller }: RunningController, pending: Pending): Result | "waiting" | undefined {
    const { replays, budget } = this.#options;
    const { namespace, name, attempts, savedState } = pending;
    const { clock, random, store, ask: askOutside } = replays.registry;
    const ask = must(askOutside, "a registry that makes outbound calls");
    const isBudgetSpent = () => budget.isBudgetSpent();
    const { isSeeded } = replays;
    return replays.run(originOf(pending), () => {
      const nowMs = clock.nowMs();
      budget.beginRun();
      random.begin?.(originOf(pending));
      const context = { client, event, memory, ask, nowMs, random, isBudgetSpent, attempts, savedState, isSeeded };
      return store.meter.within(() => controller.reconcile({ namespace, name }, context));
    });
  }
}

export function originOf({ controller, namespace, name }: QueueKey): string {
  return `${controller}:${namespace}/${name}`;
}
