// Checks the used storage against the cluster's bounds. The usage is counted once after opening, then updated in memory by each write.
import { limits } from "../../shared/base/limits.ts";
import { limitExceeded } from "../../shared/k8s/bounds/limit-exceeded.ts";

/** Numbers of objects and bytes: the stored ones, or the maximum of `SandboxLimits`. */
export interface Bounds {
  readonly objects: number;
  readonly bytes: number;
}

export class StorageQuota {
  readonly #count: () => Bounds;
  readonly #bounds: Bounds;
  #used: { objects: number; bytes: number } | undefined;

  /** `count` returns what is stored now. */
  constructor(count: () => Bounds, bounds: Bounds) {
    this.#count = count;
    this.#bounds = bounds;
  }

  /**
   * Throws 429 if the bounds leave no space for the objects and bytes. A write that adds neither always passes. With `reserve`, the write
   * may use the space that is reserved for cleanup.
   */
  require(objects: number, bytes: number, reserve = false): void {
    if (objects <= 0 && bytes <= 0) return;
    const used = this.#countOnce();
    const factor = 1 + (reserve ? limits.reserve : 0);
    const requested = { objects, bytes };
    for (const dimension of ["objects", "bytes"] as const) {
      const limited = this.#bounds[dimension];
      if (requested[dimension] > 0 && used[dimension] + requested[dimension] > Math.floor(limited * factor)) {
        // The message shows the same limit whether or not the reserve is used.
        throw limitExceeded(dimension, {
          requested: requested[dimension],
          used: Math.min(used[dimension], limited),
          limited,
        });
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

  #countOnce() {
    this.#used ??= { ...this.#count() };
    return this.#used;
  }
}
