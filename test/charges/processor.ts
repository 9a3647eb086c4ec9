// The processor time of this process, and how fast this machine is beside the reference processor, whose microsecond is the unit of work.

/**
 * Microseconds of processor time that this process has used, collection of garbage included. What other processes take is not among them. The
 * time of one thread would be coarser: the kernel brings it up to date each millisecond.
 */
export function processorMicroseconds(): number {
  const { user, system } = process.cpuUsage();
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
