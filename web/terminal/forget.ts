// The location of terminals' data in the browser, and its removal. This module is small because it loads before any terminal.

/** The prefix of storage keys, followed by the sandbox's id. */
export const keptPrefix = "sandbar.terminal.";

/** Removes the data before another user signs in to this browser. */
export function forgetTerminals(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(keptPrefix)) localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}
