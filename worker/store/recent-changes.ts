// The newest changes of the log, so that the informer and joining watches need not read them back. Bounded in number and bytes.
import { limits } from "../../shared/base/limits.ts";
import type { Change } from "./change.ts";

export class RecentChanges {
  /** Without gaps: each has the revision after the one before it. */
  #changes: Change[] = [];
  #bytes = 0;

  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.text.length;
    // Half is let go at once, so that the cost of moving the rest is spread over many.
    if (this.#changes.length > 2 * limits.changeBatch || this.#bytes > 2 * limits.recentChangeBytes)
      this.#shrink(limits.recentChangeBytes);
  }

  /** The informer has read them all: what is kept is for watches that are about to join. */
  rest(): void {
    if (this.#bytes > limits.restingChangeBytes) this.#shrink(limits.restingChangeBytes);
  }

  /** All after a revision; undefined if not all of them are here. */
  since(revision: number): readonly Change[] | undefined {
    const [oldest] = this.#changes;
    if (!oldest || oldest.revision > revision + 1) return undefined;
    return this.#changes.slice(revision + 1 - oldest.revision);
  }

  #shrink(most: number): void {
    // The newest stays, however large: it is what the informer is about to ask for.
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
