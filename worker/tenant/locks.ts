// Short locks on a tenant's resources, so that of two requests with the same `If-Match` only one writes. They are held in memory only: a
// lock is lost with its object, which ends between two requests.
import { limits } from "../../shared/base/limits.ts";

export class ResourceLocks {
  readonly #locks = new Map<string, { readonly holder: string; readonly untilMs: number }>();

  /** Returns false if another request holds the resource, or too many are held. */
  hold(resource: string, holder: string, nowMs: number): boolean {
    for (const [name, { untilMs }] of this.#locks) if (untilMs <= nowMs) this.#locks.delete(name);
    if (this.#locks.has(resource) || this.#locks.size >= limits.tenantSandboxes) return false;
    this.#locks.set(resource, { holder, untilMs: nowMs + resourceLockMs });
    return true;
  }

  release(resource: string, holder: string): void {
    if (this.#locks.get(resource)?.holder === holder) this.#locks.delete(resource);
  }
}

/** The milliseconds after which the lock of an interrupted request ends: more than a run of a sandbox's clock takes. */
const resourceLockMs = 90_000;
