// Pods in the order in which they are tried: the more important first, then the one that came first (upstream: PrioritySort).
import type { Entry } from "./queue-entry.ts";

interface Waiting {
  readonly entry: Entry;
  /** What it was when the entry joined: a later one has joined again. */
  readonly sequence: number;
}

export class Line {
  /** By priority, each in order of its sequence. What has left the line stays until it comes to the front. */
  readonly #byPriority = new Map<number, { readonly members: Waiting[]; head: number }>();
  #highest: number | undefined;

  push(entry: Entry): void {
    const { priority, sequence } = entry;
    const lane = this.#byPriority.get(priority) ?? { members: [], head: 0 };
    this.#byPriority.set(priority, lane);
    const last = lane.members.at(-1);
    const member = { entry, sequence };
    if (!last || last.sequence <= sequence) lane.members.push(member);
    else lane.members.splice(placeOf(lane.members, lane.head, sequence), 0, member);
    if (this.#highest === undefined || priority > this.#highest) this.#highest = priority;
  }

  /** The first, left where it is. */
  first(): Entry | undefined {
    while (this.#highest !== undefined) {
      const lane = this.#byPriority.get(this.#highest);
      for (; lane && lane.head < lane.members.length; lane.head++) {
        const member = lane.members[lane.head];
        if (member && isThere(member)) return member.entry;
      }
      this.#byPriority.delete(this.#highest);
      this.#highest = this.#byPriority.size > 0 ? Math.max(...this.#byPriority.keys()) : undefined;
    }
    return undefined;
  }
}

function isThere({ entry, sequence }: Waiting): boolean {
  return entry.place === "active" && entry.sequence === sequence;
}

function placeOf(members: readonly Waiting[], head: number, sequence: number): number {
  const at = members.findIndex((member, index) => index >= head && member.sequence > sequence);
  return at === -1 ? members.length : at;
}
