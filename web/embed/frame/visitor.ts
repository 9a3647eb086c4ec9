// Who is there: a text that the service has signed, kept where the browser keeps what belongs to this frame within pages of that site; where
// it keeps nothing, the page around the frame is asked to.

export interface VisitorStore {
  read(): string | undefined;
  keep(visitor: string): void;
}

/** Nothing, where the browser lets the frame store nothing. */
export function visitorStore(key: string): VisitorStore | undefined {
  const name = `sandbar.visitor.${key}`;
  try {
    const storage = localStorage;
    // It may be there and refuse.
    storage.setItem(`${name}.try`, "1");
    storage.removeItem(`${name}.try`);
    return {
      read: () => storage.getItem(name) ?? undefined,
      keep: (visitor) => storage.setItem(name, visitor),
    };
  } catch {
    return undefined;
  }
}

/** One frame of a page after the other: the second finds the visitor that the first has kept. */
export async function oneAfterAnother<T>(key: string, work: () => Promise<T>): Promise<T> {
  return (await hasLocks()) ? navigator.locks.request(`sandbar.visitor.${key}`, work) : work();
}

/** Within pages that came without https there are none, and elsewhere a browser may refuse them, as the storage. */
async function hasLocks(): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  return navigator.locks.query().then(
    () => true,
    () => false,
  );
}
