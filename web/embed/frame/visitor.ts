// The visitor's identity: a text signed by the service, stored where the browser isolates data of this frame by top-level site. A
// browser that blocks third-party cookies may also block storage, but accepts a cookie that is marked as partitioned.

export interface VisitorStore {
  read(): string | undefined;
  keep(visitor: string): void;
}

const keptSeconds = 30 * 24 * 3600;

export function visitorStore(key: string): VisitorStore {
  const name = `sandbar.visitor.${key}`;
  try {
    const storage = localStorage;
    // The storage may exist but refuse writes.
    storage.setItem(`${name}.try`, "1");
    storage.removeItem(`${name}.try`);
    return {
      read: () => storage.getItem(name) ?? undefined,
      keep: (visitor) => storage.setItem(name, visitor),
    };
  } catch {
    return inCookie(name);
  }
}

/** Stores the visitor in a cookie. The service never reads it, so it authenticates no request. */
function inCookie(name: string): VisitorStore {
  return {
    read: () => {
      const cookie = document.cookie.split("; ").find((entry) => entry.startsWith(`${name}=`));
      return cookie?.slice(name.length + 1);
    },
    keep: (visitor) => {
      // biome-ignore lint/suspicious/noDocumentCookie: what the storage of cookies gives in its place is not there in pages without https
      document.cookie = `${name}=${visitor}; Path=/embed; Max-Age=${keptSeconds}; Secure; SameSite=None; Partitioned`;
    },
  };
}

/** Serializes the frames of a page, if the browser supports locks, so that the second frame finds the visitor that the first stored. */
export async function oneAfterAnother<T>(key: string, work: () => Promise<T>): Promise<T> {
  return (await hasLocks()) ? navigator.locks.request(`sandbar.visitor.${key}`, work) : work();
}

/** Locks do not exist in pages without https, and a browser may refuse them like the storage. */
async function hasLocks(): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  return navigator.locks.query().then(
    () => true,
    () => false,
  );
}
