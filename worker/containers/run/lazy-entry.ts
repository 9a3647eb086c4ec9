// Files whose text is computed when it is read.
import type { Entry } from "../shell/files.ts";

/** Returns a file whose text is computed once, at the first read. */
export function lazyEntry(read: () => string, changedMs: number, mode: number): Entry {
  let text: string | undefined;
  return {
    get text() {
      return (text ??= read());
    },
    mode,
    changedMs,
    isLazy: true,
  };
}
