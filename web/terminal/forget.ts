// Where terminals keep what they keep in the browser, and the end of it. Small: it is loaded before any terminal is.

/** What follows is the sandbox's. */
export const keptPrefix = "sandbar.terminal.";

/** For whoever comes to this browser next. */
export function forgetTerminals(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(keptPrefix)) localStorage.removeItem(key);
  } catch {
    // Without storage nothing was kept.
  }
}
