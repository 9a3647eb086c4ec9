// The frames of one key in a page, one after the other: a browser that lets them share little lets the second find the visitor that the first has
// kept, once that is done.

const last = new Map<string, Promise<void>>();
/** Milliseconds that the frames after one wait for it. */
const turnMs = 10_000;

/** Resolves when it is this one's turn, with what ends it. */
export async function turnOf(key: string): Promise<() => void> {
  const before = last.get(key);
  const { promise, resolve } = Promise.withResolvers<void>();
  last.set(key, promise);
  await before;
  setTimeout(resolve, turnMs);
  return resolve;
}
