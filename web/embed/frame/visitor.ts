// Who is there: a text that the service has signed, kept where the browser keeps what belongs to this frame within pages of that site alone. A
// browser that blocks third parties' cookies may refuse its storage with them, and takes a cookie that says itself that it is partitioned.

export interface VisitorStore {
  read(): string | undefined;
  keep(visitor: string): void;
}

const keptSeconds = 30 * 24 * 3600;

export function visitorStore(key: string): VisitorStore {
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
    return inCookie(name);
  }
}

/** The service never looks at it: no request is let in by a cookie of a frame. */
function inCookie(name: string): VisitorStore {
  return {
    read: () => {
      const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
      return found?.slice(name.length + 1);
    },
    keep: (visitor) => {
      // biome-ignore lint/suspicious/noDocumentCookie: what the storage of cookies gives in its place is not there in pages without https
      document.cookie = `${name}=${visitor}; Path=/embed; Max-Age=${keptSeconds}; Secure; SameSite=None; Partitioned`;
    },
  };
}

/** One frame of a page after the other, where the browser can tell: the second finds the visitor that the first has kept. */
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
