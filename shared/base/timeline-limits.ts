// Bounds of what is recorded of containers that ask others of their cluster.

const MiB = 1024 * 1024;

export const timelineLimits = {
  /** Runs of a cluster that ask others and are followed for it; what further ones do and print is not recorded. */
  timelineRuns: 1000,
  /** Bytes (estimated) of such runs that wait in memory. */
  timelineRunBytes: 8 * MiB,
  /** Characters of one segment of a recorded log, segments of a run, and characters of all of a cluster. */
  recordedLogSegmentCharacters: 16 * 1024,
  recordedLogSegments: 32,
  recordedLogCharacters: 4 * MiB,
  /** Work of such runs that is done in one turn before others have theirs. */
  timelineTurnWork: 30_000,
} as const;
