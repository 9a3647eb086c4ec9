// Whether there is room to store anything, where someone can tell: on a user's machine, whose disk others fill too. What is left at the
// end is kept for reading, which needs a little of it, and for deleting.
import { limits } from "./limits.ts";

export class Room {
  readonly #free: () => Promise<number>;
  readonly #nowMs: () => number;
  #isShort = false;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** `free` tells the bytes that are left. */
  constructor(free: () => Promise<number>, nowMs: () => number) {
    this.#free = free;
    this.#nowMs = nowMs;
  }

  /** As it was when it was looked at last. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Asks, unless it was asked a moment ago. Who does not answer keeps nobody from writing. */
  async look(): Promise<void> {
    if (this.#nowMs() - this.#askedMs < limits.roomMs) return;
    this.#askedMs = this.#nowMs();
    this.#isShort = await this.#free().then(
      (bytes) => bytes < limits.roomBytes,
      () => false,
    );
  }

  /** For what must be written as long as there is any room at all. */
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

/** Node beside a Worker on a user's machine: it answers with the bytes that are left. */
export interface RoomTeller {
  fetch(url: string): Promise<{ text(): Promise<string> }>;
}

/** Whether anything more may be stored. Who does not answer keeps nobody from writing. */
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

/** Where there is no node, nobody can tell: there is room. */
export function roomBeside(node: RoomTeller | undefined, nowMs: () => number): Room {
  return new Room(() => (node ? freeBytes(node) : Promise.resolve(Number.POSITIVE_INFINITY)), nowMs);
}
