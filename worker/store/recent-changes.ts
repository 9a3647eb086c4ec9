// The newest changes of the log in memory, so that informers and new watches need not read rows. Bounded in number and bytes.
import { limits } from "../../shared/base/limits.ts";
import type { Change } from "./change.ts";

export class RecentChanges {
  /** Consecutive changes: each revision is the one before plus one. */
  #changes: Change[] = [];
  #bytes = 0;

  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.text.length;
    // Half of the changes are dropped at once, which amortizes the cost of moving the rest.
    if (this.#changes.length > 2 * limits.changeBatch || this.#bytes > 2 * limits.recentChangeBytes)
      this.#shrink(limits.recentChangeBytes);
  }

  /** Drops changes that the informer has read. The rest is for watches that are about to start. */
  rest(): void {
    if (this.#bytes > limits.restingChangeBytes) this.#shrink(limits.restingChangeBytes);
  }

  /** Returns all changes after a revision; undefined if some are no longer in memory. */
  since(revision: number): readonly Change[] | undefined {
    const [oldest] = this.#changes;
    if (!oldest || oldest.revision > revision + 1) return undefined;
    return this.#changes.slice(revision + 1 - oldest.revision);
  }

  #shrink(most: number): void {
    // The newest change stays, however large: the informer is about to read it.
    let from = this.#changes.length - 1;
    let bytes = this.#changes[from]?.text.length ?? 0;
    while (from > 0 && this.#changes.length - from < limits.changeBatch) {
      bytes += this.#changes[from - 1]?.text.length ?? 0;
      if (bytes > most) break;
      from--;
    }
    this.#changes = this.#changes.slice(from);
    this.#bytes = this.#changes.reduce((sum, { text }) => sum + text.length, 0);
  }
}
