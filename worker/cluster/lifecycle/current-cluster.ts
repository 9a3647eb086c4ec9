// The cluster that an object has open. It is opened from what the object stores, and replaced when the sandbox is set to another state.
import { goneError, replacedError } from "../state/ended.ts";
import { type Open, report } from "../open.ts";
import { Opening } from "../opening.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";

export class CurrentCluster {
  #open: Open | undefined;
  #opening: Opening | undefined;

  /** Opens the stored cluster. A failure is reported, and the opening is tried again later. */
  openStored(open: () => void): void {
    this.#opening = new Opening({ open, nowMs: Date.now, report });
  }

  /** The open cluster, whether it has expired or not. */
  get open(): Open | undefined {
    return this.#open;
  }

  set(open: Open): void {
    this.#open = open;
  }

  /** Forgets the cluster, because what was stored is deleted. */
  forget(): void {
    this.#open?.watches.forget();
    this.#open = undefined;
    this.#opening?.forget();
  }

  /** Returns why the stored cluster cannot be used; undefined if it can. */
  failure(): ApiError | undefined {
    return this.#opening?.failure();
  }

  /** Returns the cluster, if there is one. Throws if the object holds one that this version cannot open. */
  stored(): Open | undefined {
    this.#opening?.require();
    return this.#open;
  }

  /** Returns the stored cluster unless it has expired. */
  living(): Open | undefined {
    const open = this.stored();
    return open && open.expiresAtMs > Date.now() ? open : undefined;
  }

  /** Throws if `open` is no longer the open cluster. */
  require(open: Open): void {
    if (this.#open !== open) throw this.#open ? replacedError() : goneError();
  }
}
