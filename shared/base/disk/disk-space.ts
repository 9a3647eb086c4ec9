// Checks the free disk space of a local service. Writes are refused while little space is left, because reading and deleting need some.
import { limits } from "../limits.ts";

/** The last known state of the disk. It is checked at most every `limits.diskCheckMs`. */
export class DiskSpace {
  readonly #free: () => Promise<number>;
  readonly #nowMs: () => number;
  #isShort = false;
  #checkedMs = Number.NEGATIVE_INFINITY;

  /** `free` returns the free bytes. */
  constructor(free: () => Promise<number>, nowMs: () => number) {
    this.#free = free;
    this.#nowMs = nowMs;
  }

  /** Whether the last check found too little space. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Checks the space unless it was just checked. If the check fails, writes stay allowed. */
  async check(): Promise<void> {
    if (this.#nowMs() - this.#checkedMs < limits.diskCheckMs) return;
    this.#checkedMs = this.#nowMs();
    this.#isShort = await this.#free().then(
      (bytes) => bytes < limits.reservedDiskBytes,
      () => false,
    );
  }

  /** Runs a write that may use the reserved space too, such as a deletion. */
  withReserve<T>(body: () => T): T {
    const before = this.#isShort;
    this.#isShort = false;
    try {
      return body();
    } finally {
      this.#isShort = before;
    }
  }
}

/** The Node.js process of a local service, which the Worker asks for the free bytes. */
export interface FreeSpaceSource {
  fetch(url: string): Promise<{ text(): Promise<string> }>;
}

/** Reports whether more can be stored. If the check fails, writes stay allowed. */
export async function hasFreeSpace(node: FreeSpaceSource): Promise<boolean> {
  return freeBytes(node).then(
    (bytes) => bytes >= limits.reservedDiskBytes,
    () => true,
  );
}

export async function freeBytes(node: FreeSpaceSource): Promise<number> {
  const answer = await node.fetch("http://node/room");
  return Number(await answer.text());
}

/** Returns the check of a local service's disk; without its Node.js process, a check that always finds space. */
export function newDiskSpace(node: FreeSpaceSource | undefined, nowMs: () => number): DiskSpace {
  return new DiskSpace(() => (node ? freeBytes(node) : Promise.resolve(Number.POSITIVE_INFINITY)), nowMs);
}
