// Starts the frames of one key in a page one after the other. In a browser that partitions storage, the second frame then finds the
// visitor that the first has stored.

const last = new Map<string, Promise<void>>();
/** The time in milliseconds that following frames wait for one. */
const turnMs = 10_000;

/** Resolves when it is this frame's turn, with a function that ends the turn. */
export async function turnOf(key: string): Promise<() => void> {
  const before = last.get(key);
  const { promise, resolve } = Promise.withResolvers<void>();
  last.set(key, promise);
  await before;
  setTimeout(resolve, turnMs);
  return resolve;
}
