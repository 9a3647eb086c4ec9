// The controllers that a fault has stopped. Their requests stay in the queue, and are due again when the controllers run.
import { limits } from "../../shared/base/limits.ts";
import type { Controller } from "./controller.ts";
import type { Pending, WorkQueue } from "./queue.ts";

export class StoppedControllers {
  #names: ReadonlySet<string> = new Set();

  /** Replaces the stopped controllers. The requests of those that run again are due now. */
  set(controllers: readonly Pick<Controller, "name">[], queue: WorkQueue, nowMs: number): void {
    const names = new Set(controllers.map(({ name }) => name));
    const released = new Set([...this.#names].filter((name) => !names.has(name)));
    this.#names = names;
    if (released.size === 0) return;
    for (const pending of queue.all()) if (released.has(pending.controller)) queue.add({ ...pending, dueMs: nowMs });
  }

  /** Puts a request that was taken back for later, if its controller is stopped. */
  holdBack(pending: Pending, queue: WorkQueue, nowMs: number): boolean {
    if (!this.#names.has(pending.controller)) return false;
    queue.again({ ...pending, dueMs: nowMs + limits.stoppedWaitMs });
    return true;
  }
}
