// The bounds of what a sandbox has of the thread, and of the memory, that it shares with others.

const MiB = 1024 * 1024;

export const shareLimits = {
  /**
   * Requests to controllers past which they are not saved one by one, if the next is due within so many milliseconds; and how many changes
   * are read again at most for those that were not saved.
   */
  crowd: 100,
  crowdMs: 1000,
  heldChanges: 20_000,
  /**
   * Milliseconds in which what a sandbox used of the thread decays (to 1/e), the use up to which it never waits for others, and the turns
   * that one that waits has between two looks of the runtime for connections and requests.
   */
  shareDecayMs: 2_000,
  lightShareMs: 100,
  shareTurnMs: 15,
  /** Milliseconds after its last turn for which a light sandbox has others rest after theirs, and milliseconds of such a rest at most. */
  shareNeighbourMs: 1_000,
  shareRestMs: 50,
  /** Requests of a sandbox that wait for its turn, bytes that they hold, and milliseconds that one waits. Past them: 429. */
  waitingRequests: 300,
  waitingRequestBytes: 16 * MiB,
  waitingRequestMs: 15_000,
  /** Bytes that the edge holds for all watchers of a sandbox, and of all sandboxes. Past them the slowest are ended with `Expired`. */
  heldBySandboxBytes: 24 * MiB,
  heldByAllBytes: 64 * MiB,
} as const;

/** Bounds of what is recorded of containers that ask others of their cluster. */
export const timelineLimits = {
  /** Runs of a cluster that ask others and are followed for it; what further ones do and print is not recorded. */
  timelineRuns: 1000,
  /** Bytes (estimated) of such runs that wait in memory. */
  timelineRunBytes: 8 * MiB,
  /** Characters of one segment of a recorded log, segments of a run, and characters of all of a cluster. */
  recordedLogSegmentCharacters: 16 * 1024,
  recordedLogSegments: 32,
  recordedLogCharacters: 4 * MiB,
  /** Work of one such run, all together: it is done as time goes on, and again after the memory of the object was lost. */
  timelineRunWork: 1_000_000,
  /** Milliseconds of a run that are followed before its turn is looked at. */
  timelineStepMs: 60_000,
  /** Work of such runs that is done in one turn before others have theirs. */
  timelineTurnWork: 30_000,
} as const;

/** Bounds of a sandbox's clock and of reads of its past. */
export const timeLimits = {
  /** Milliseconds of the cluster's time, and of real time, that one run of a sandbox's clock takes at most. */
  clockRunMs: 366 * 24 * 3_600_000,
  clockRunRealMs: 60_000,
  /** Usual reconciles of one turn of such a run, some 50 ms. */
  clockRunReconciles: 40,
  /** Milliseconds between two alarms that look after a run of the clock: the object may die in it. */
  clockRunAlarmMs: 5_000,
  /** Reasons of events that a run counts by name. */
  clockRunReasons: 200,
  /** Entries of a timeline, and changes that one question about it reads. */
  timelineEntries: 200,
  timelineRead: 5_000,
  /** Depth of the tree that says what an object waits for, and entries below one of it. */
  whyDepth: 4,
  whyReasons: 10,
  /** Characters of a duration and of the condition that a run of the clock ends with. */
  durationCharacters: 32,
  conditionCharacters: 2_000,
} as const;
