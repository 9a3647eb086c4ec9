// How much of what may be stored is stored: counted once after opening, then kept with each write. In memory alone.
import { limits } from "../../shared/base/limits.ts";
import { limitExceeded } from "../../shared/k8s/bounds/limit-exceeded.ts";

/** What is stored, or may be at most; see `SandboxLimits`. */
export interface Bounds {
  readonly objects: number;
  readonly bytes: number;
}

export class Room {
  readonly #count: () => Bounds;
  readonly #bounds: Bounds;
  #used: { objects: number; bytes: number } | undefined;

  /** `count`: what is stored now. */
  constructor(count: () => Bounds, bounds: Bounds) {
    this.#count = count;
    this.#bounds = bounds;
  }

  /**
   * Throws 429 where there is no room for so many more objects and bytes. What does not grow always passes. `reserve`: the write may
   * take of what is kept back for those who clean up.
   */
  require(objects: number, bytes: number, reserve = false): void {
    if (objects <= 0 && bytes <= 0) return;
    const used = this.#counted();
    const share = 1 + (reserve ? limits.reserve : 0);
    const wanted = { objects, bytes };
    for (const what of ["objects", "bytes"] as const) {
      const limited = this.#bounds[what];
      if (wanted[what] > 0 && used[what] + wanted[what] > Math.floor(limited * share)) {
        // Whatever of the reserve is used: the same refusal is told in the same words.
        throw limitExceeded(what, { requested: wanted[what], used: Math.min(used[what], limited), limited });
      }
    }
  }

  /** Something was written. */
  take(objects: number, bytes: number): void {
    // What has not been counted yet will be, with this write.
    if (!this.#used) return;
    this.#used.objects += objects;
    this.#used.bytes += bytes;
  }

  #counted() {
    this.#used ??= { ...this.#count() };
    return this.#used;
  }
}
