// What is written between requests, and the watchers that are told of it.
import type { Open } from "../open.ts";

/** Whatever becomes of it, watchers are told what was written. */
export function runAndFlush<T>({ watches }: Pick<Open, "watches">, body: () => T): T {
  try {
    return body();
  } finally {
    watches.flush();
  }
}
