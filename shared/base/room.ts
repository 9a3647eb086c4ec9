// Free space on a user's machine, whose disk other programs fill too. The last part is reserved for reading, which needs some space, and
// for deleting.
import { limits } from "./limits.ts";

export class Room {
  readonly #free: () => Promise<number>;
  readonly #nowMs: () => number;
  #isShort = false;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** `free` returns the free bytes. */
  constructor(free: () => Promise<number>, nowMs: () => number) {
    this.#free = free;
    this.#nowMs = nowMs;
  }

  /** Returns the result of the last check. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Checks the space unless it was just checked. If the check fails, writes stay allowed. */
  async look(): Promise<void> {
    if (this.#nowMs() - this.#askedMs < limits.roomMs) return;
    this.#askedMs = this.#nowMs();
    this.#isShort = await this.#free().then(
      (bytes) => bytes < limits.roomBytes,
      () => false,
    );
  }

  /** Runs a write that is allowed until the disk is completely full. */
  despite<T>(body: () => T): T {
    const before = this.#isShort;
    this.#isShort = false;
    try {
      return body();
    } finally {
      this.#isShort = before;
    }
  }
}

/** The Node.js process beside a Worker on a user's machine, which returns the free bytes. */
export interface RoomTeller {
  fetch(url: string): Promise<{ text(): Promise<string> }>;
}

/** Reports whether more can be stored. If the check fails, writes stay allowed. */
export async function hasRoom(node: RoomTeller): Promise<boolean> {
  return freeBytes(node).then(
    (bytes) => bytes >= limits.roomBytes,
    () => true,
  );
}

export async function freeBytes(node: RoomTeller): Promise<number> {
  const answer = await node.fetch("http://node/room");
  return Number(await answer.text());
}

/** Creates the check. Without a Node.js process, there is always space. */
export function roomBeside(node: RoomTeller | undefined, nowMs: () => number): Room {
  return new Room(() => (node ? freeBytes(node) : Promise.resolve(Number.POSITIVE_INFINITY)), nowMs);
}
