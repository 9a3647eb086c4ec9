// A turn after which watchers are told what was written.
import type { Open } from "../open.ts";

/** Whatever becomes of it. */
export function flushed<T>(open: Open, body: () => T): T {
  try {
    return body();
  } finally {
    open.watches.flush();
  }
}
