// Tracks the used storage against its bounds. Counted once after opening, then updated by each write. In memory only.
import { limits } from "../../shared/base/limits.ts";
import { limitExceeded } from "../../shared/k8s/bounds/limit-exceeded.ts";

/** The number of objects and bytes that are stored, or their maximum. See `SandboxLimits`. */
export interface Bounds {
  readonly objects: number;
  readonly bytes: number;
}

export class Room {
  readonly #count: () => Bounds;
  readonly #bounds: Bounds;
  #used: { objects: number; bytes: number } | undefined;

  /** `count` returns what is stored now. */
  constructor(count: () => Bounds, bounds: Bounds) {
    this.#count = count;
    this.#bounds = bounds;
  }

  /**
   * Throws 429 if the bounds leave no space for the objects and bytes. A write that does not grow always passes. With `reserve`, the write
   * may use the space that is reserved for cleanup.
   */
  require(objects: number, bytes: number, reserve = false): void {
    if (objects <= 0 && bytes <= 0) return;
    const used = this.#counted();
    const share = 1 + (reserve ? limits.reserve : 0);
    const requested = { objects, bytes };
    for (const what of ["objects", "bytes"] as const) {
      const limited = this.#bounds[what];
      if (requested[what] > 0 && used[what] + requested[what] > Math.floor(limited * share)) {
        // The message shows the same limit whether or not the reserve is used.
        throw limitExceeded(what, { requested: requested[what], used: Math.min(used[what], limited), limited });
      }
    }
  }

  /** Records a successful write. */
  take(objects: number, bytes: number): void {
    // If nothing was counted yet, the first count will include this write.
    if (!this.#used) return;
    this.#used.objects += objects;
    this.#used.bytes += bytes;
  }

  #counted() {
    this.#used ??= { ...this.#count() };
    return this.#used;
  }
}
