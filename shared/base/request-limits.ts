// Bounds of work in one turn, in the unit of `shared/k8s/bounds/work.ts`: microseconds. Among the service's others in limits.ts.

export const workLimits = {
  /** Work of a usual reconcile, four writes: one that does so many times more counts so many times. */
  workPerReconcile: 1_200,
  /** Work after which a reconcile is stopped before its next write, and run again in a later turn: 60 writes. */
  workPerTurn: 18_000,
  /** Work after which a reconcile, or what maps a change to requests, may read no further, and fails: a second. */
  workPerReading: 900_000,
  /** Work of the moves of a pod in one look of its kubelet: those of hundreds of containers take several looks. */
  podLookWork: 20_000,
  /** Work of runs, probes and hooks after which a look at a pod goes on in another turn: that of one container with its probes. */
  lookPartWork: 30_000,
  /** Pods of a cluster whose looks go on in another turn; others wait for so many milliseconds until one of these is over. */
  unfinishedLooks: 8,
  lookWaitMs: 250,
  /**
   * Work that one turn of a request, or one reconcile, may put into schemas, defaults, patterns, and expressions of rules, policies and
   * authentication. Upstream lets the rules of one object alone cost 10,000,000 units of CEL, a second.
   */
  requestWork: 40_000,
  /**
   * Work of the cells of one row of a Table, of one row in an event of a watch, and of all rows of one request: past it, cells of custom
   * columns are null.
   */
  rowWork: 30_000,
  eventRowWork: 2_000,
  tableWork: 2_000_000,
  /** Work of one request after which others have their turn before it goes on. */
  unpausedWork: 10_000,
} as const;

/** Bounds of failed authentication, and of the move from one secret to another. */
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
