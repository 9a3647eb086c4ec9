// Answers the edge's calls about a cluster's faults.
import { faultLimits } from "../../../../shared/contract/cluster/fault-limits.ts";
import type {
  ClusterFaultsRpc,
  FaultsAnswer,
  FaultsQuery,
  PutFaults,
} from "../../../../shared/contract/cluster/faults.ts";
import { goneError } from "../../state/ended.ts";
import { refusalOf } from "../../state/states.ts";
import { namesOf } from "./effects.ts";
import type { FaultEngine } from "./engine.ts";
import { FaultProblem } from "./refusal.ts";

/** The parts of an open cluster that faults need. */
export interface FaultyCluster {
  readonly faults: FaultEngine;
  readonly controllers: readonly { readonly name: string; readonly user?: string }[];
}

export interface ClusterFaultsHost<Open extends FaultyCluster> {
  /** Undefined if there is no cluster any more. */
  current(): Open | undefined;
  /** Runs one turn. Throws if the cluster was replaced. */
  turn<T>(open: Open, body: () => T): T;
  /** Waits for milliseconds of real time. */
  wait(ms: number): Promise<void>;
}

export class ClusterFaults<Open extends FaultyCluster> implements ClusterFaultsRpc {
  readonly #host: ClusterFaultsHost<Open>;
  /** Resolves the calls that wait for an injection. */
  readonly #waiting = new Set<() => void>();

  constructor(host: ClusterFaultsHost<Open>) {
    this.#host = host;
  }

  /** Answers the calls that wait for an injection. */
  injected(): void {
    for (const resolve of this.#waiting) resolve();
  }

  async setFaults(faults: PutFaults): Promise<FaultsAnswer> {
    return this.#answer((open) => {
      for (const [at, { action }] of faults.faults.entries()) {
        const isKnown = !("stop" in action) || open.controllers.some((entry) => namesOf(entry).includes(action.stop));
        if (!isKnown) throw new FaultProblem(`faults.${at}.action.stop`, "there is no such controller");
      }
      open.faults.set(faults);
      return open.faults.list(0);
    });
  }

  async getFaults({ since, waitSeconds }: FaultsQuery): Promise<FaultsAnswer> {
    const isWaiting = waitSeconds > 0 && this.#waiting.size < faultLimits.waiting;
    if (isWaiting && this.#host.current()?.faults.injections(since).length === 0) await this.#next(waitSeconds * 1000);
    return this.#answer((open) => open.faults.list(since));
  }

  async deleteFaults(name: string | undefined): Promise<FaultsAnswer> {
    return this.#answer((open) => {
      if (name === undefined) open.faults.clear();
      else if (!open.faults.end(name)) throw new FaultProblem("name", "there is no fault of this name");
      return open.faults.list(0);
    });
  }

  async #next(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await Promise.race([promise, this.#host.wait(ms)]);
    this.#waiting.delete(resolve);
  }

  #answer(body: (open: Open) => Omit<Extract<FaultsAnswer, { ok: true }>, "ok">): FaultsAnswer {
    const open = this.#host.current();
    try {
      if (!open) throw goneError();
      return { ok: true, ...this.#host.turn(open, () => body(open)) };
    } catch (error) {
      if (error instanceof FaultProblem)
        return { ok: false, code: "invalid_field", message: error.message, field: error.field };
      return refusalOf(error);
    }
  }
}
