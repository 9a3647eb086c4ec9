// The bounds of injected faults.

export const faultLimits = {
  /** The faults of a sandbox. */
  faults: 50,
  /** Characters of names, users, user agents and messages in a fault's definition. */
  textCharacters: 253,
  /** The longest delay of an answer, an event or an image, in milliseconds of real time. */
  delayMs: 60_000,
  /** The largest number of a request, a write or an injection that a fault counts to. */
  count: 1_000_000,
  /** The seconds of a `Retry-After`. */
  retryAfterSeconds: 3600,
  /** The injections that a sandbox keeps: the newest. */
  injections: 2_000,
  /** The injections of one answer. */
  injectionsShown: 500,
  /** The longest wait for an injection, in milliseconds of real time. */
  waitMs: 20_000,
  /** The waiting calls of a sandbox. */
  waiting: 20,
  /** Characters of a watching client's user agent that are stored, and matched by faults. The rest is cut off. */
  agentCharacters: 120,
  /** The frames of a delayed watch that wait. The watch ends beyond them. */
  delayedFrames: 1_000,
} as const;
