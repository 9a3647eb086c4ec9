// Measures the processor time of this process, and the speed of this machine relative to the reference processor of the unit of work.

const cell = new Int32Array(new SharedArrayBuffer(4));
const waitMs = 0.02;

/**
 * Microseconds of processor time that this thread has used. Neither other processes nor the threads that compile and collect garbage are
 * among them. The kernel brings the time of a running thread up to date at its next tick only, so the thread waits for a moment first.
 */
export function processorMicroseconds(): number {
  Atomics.wait(cell, 0, 0, waitMs);
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Microseconds that `mixedWork` takes on the reference processor, after its functions are compiled. */
const referenceMicroseconds = 3_400;

/** Returns how many microseconds of this machine, as it is at the moment, one microsecond of the reference processor is. */
export function processorFactor(rounds: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = processorMicroseconds();
    mixedWork();
    least = Math.min(least, processorMicroseconds() - before);
  }
  return least / referenceMicroseconds;
}

/** Texts, maps, objects and lists in the proportions in which the evaluators of tenants' programs use them. */
function mixedWork(): number {
  const counts = new Map<string, number>();
  const objects: { key: string; list: number[] }[] = [];
  let seed = 1;
  for (let at = 0; at < 20_000; at++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const key = `key${seed % 1_000}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (at % 8 === 0) objects.push({ key, list: [seed, at] });
  }
  objects.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return JSON.stringify(objects).length + counts.size;
}
