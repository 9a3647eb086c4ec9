// Reads a log again whose connection was lost, as by a restart of the service.

/** An answer of the API that refuses the log. */
export class LogRefused extends Error {}

const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

/**
 * Follows a log until it ends. While the connection is lost, calls `lost`, waits, calls `restart` and follows the log from its beginning.
 * Throws `LogRefused`.
 */
export async function untilEnd(
  follow: () => Promise<"ended" | "lost">,
  restart: () => void,
  lost: () => void,
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const how = await follow().catch((error: unknown) => {
      if (error instanceof LogRefused) throw error;
      return "lost" as const;
    });
    if (how === "ended" || signal.aborted) return;
    lost();
    await new Promise((done) => setTimeout(done, pauseMs));
    if (signal.aborted) return;
    restart();
  }
}
