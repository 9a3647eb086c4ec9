// Bounds of failed authentication, and of the move from one secret to another.

export const accessLimits = {
  /** Failed authentications of one address, or by one prefix of a key, that are answered one after the other; one more each `failureLeakMs`. */
  failuresBurst: 20,
  failureLeakMs: 2_000,
  /** As many are counted: who stops guessing waits ten seconds at most, which clients that retry by themselves bear. */
  failuresCounted: 25,
  /** Addresses and prefixes that an isolate remembers; some 100 bytes each. */
  keptFailures: 10_000,
  /** Characters of a key that are its prefix: enough to tell guesses at one key from others, too few to be of use to whoever reads memory. */
  failurePrefixCharacters: 4,
  failureKeyCharacters: 64,
  /** The window of the platform's count for all isolates of a place: see `FAILURES` in wrangler.toml. */
  sharedFailuresSeconds: 60,
  /** What one request moves to another value of the service's secret: each wakes a cluster, opens a cipher, or reads a file. */
  movedSandboxes: 20,
  movedToolKeys: 50,
  movedFiles: 5,
  /** How long an isolate remembers whether anything was ever moved. */
  rememberedMoveMs: 60_000,
};
