// How much one run of an alarm does.
import { limits } from "../../../shared/base/limits.ts";

/** Drains of one alarm run; between two of them waiting requests are answered. */
export const drainsPerAlarm = 500;

/** Returns a function that tells whether a drain that begins now has taken as long as one may, where the clock runs within a turn. */
export function isLater(): () => boolean {
  const untilMs = Date.now() + limits.drainMs;
  return () => Date.now() >= untilMs;
}
