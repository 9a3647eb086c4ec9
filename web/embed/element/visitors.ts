// Who is there, for frames that their browser lets keep nothing: the page keeps it in their place. The frames of one key come one after the
// other, so that the second finds whom the first has brought.

const waiting = new Map<string, Promise<void>>();
/** Milliseconds that the frames after one wait for it. */
const turnMs = 10_000;

export interface Turn {
  /** Known from before, or brought by the frame before. */
  readonly visitor: string | undefined;
  /** The frame has brought it, or will not. */
  end(visitor?: string): void;
}

export async function turnOf(key: string): Promise<Turn> {
  const before = waiting.get(key) ?? Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(key, promise);
  await before;
  setTimeout(resolve, turnMs);
  return {
    visitor: read(key),
    end: (visitor) => {
      if (visitor !== undefined) keep(key, visitor);
      resolve();
    },
  };
}

/** Where the page itself can keep nothing, for as long as it is open. */
const held = new Map<string, string>();

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(nameOf(key)) ?? held.get(key);
  } catch {
    return held.get(key);
  }
}

function keep(key: string, visitor: string): void {
  held.set(key, visitor);
  try {
    localStorage.setItem(nameOf(key), visitor);
  } catch {
    // It is held.
  }
}

function nameOf(key: string): string {
  return `sandbar.visitor.${key}`;
}
