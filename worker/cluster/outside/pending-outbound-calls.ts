// Makes the outbound calls that controllers and watches wait for. Each answer continues them in a turn of its own.
import { keyOfCall, type OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import { availabilityController } from "../../controllers/api-service-availability.ts";
import { apiServices } from "../../kinds/apiregistration/api-service.ts";
import type { CurrentCluster } from "../lifecycle/current-cluster.ts";
import type { Open } from "../open.ts";

export interface PendingCallsOptions {
  readonly current: CurrentCluster;
  /** Runs a turn in which controllers and watches see the answers. */
  continueWith(open: Open): void;
  /** Sets the alarm anew. */
  settle(open: Open): void;
}

export class PendingOutboundCalls {
  readonly #options: PendingCallsOptions;
  /** The keys of the calls of watches that have no answer yet. */
  readonly #watchCalls = new Set<string>();

  constructor(options: PendingCallsOptions) {
    this.#options = options;
  }

  /** Makes the calls that a drain left unanswered. A call beyond the limit is made when one of these is answered. */
  callForControllers(open: Open): void {
    for (const call of open.runtime.takeCalls(open.load.calls.free)) {
      const release = open.load.calls.take();
      void open.outside.ask(call).then((answer) => {
        release();
        if (this.#options.current.open !== open) return;
        open.runtime.answer(call, answer);
        this.#options.continueWith(open);
      });
    }
  }

  /** Makes the calls of watches. The watches continue when all are answered. */
  callForWatches(calls: readonly OutboundCall[]): void {
    const { current, continueWith } = this.#options;
    const { open } = current;
    if (!open) return;
    // Each flush of the watches repeats the calls that have no answer yet.
    const newCalls = calls.filter((call) => !this.#watchCalls.has(keyOfCall(call)));
    if (newCalls.length === 0) return;
    void Promise.all(newCalls.map((call) => this.#callForWatch(open, call))).then(() => {
      if (current.open === open) continueWith(open);
    });
  }

  /** Checks the availability of the APIs behind a Service, whose tunnel was opened or closed. */
  serversChanged(namespace: string, name: string): void {
    const { open } = this.#options.current;
    if (!open) return;
    const waiting = [...open.system.byIndexValue(apiServices, `${namespace}/${name}`)];
    for (const { metadata } of waiting)
      open.runtime.request(availabilityController.name, { namespace: "", name: metadata.name ?? "" });
    // The tunnel's token can expire, which sets the alarm.
    if (waiting.length === 0) this.#options.settle(open);
    else this.#options.continueWith(open);
  }

  async #callForWatch({ outside, registry }: Open, call: OutboundCall): Promise<void> {
    const key = keyOfCall(call);
    this.#watchCalls.add(key);
    const answer = await outside.ask(call);
    this.#watchCalls.delete(key);
    registry.answered?.(call, answer);
  }
}
