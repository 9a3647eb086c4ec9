// Bounds of a sandbox's clock and of reads of its past, each with its unit.

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
  /** Characters of a duration and of the condition that a run of the clock ends with. */
  durationCharacters: 32,
  conditionCharacters: 2_000,
} as const;
