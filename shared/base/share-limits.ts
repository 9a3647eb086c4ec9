// The limits of a sandbox's share of the thread and memory that it shares with others.

const MiB = 1024 * 1024;

export const shareLimits = {
  /**
   * The number of queued reconcile requests beyond which changes of the queue are not saved, if the next request is due within `crowdMs`. When the
   * object is opened again, up to `heldChanges` changes are read again to restore them.
   */
  crowd: 100,
  crowdMs: 1000,
  heldChanges: 20_000,
  /**
   * The milliseconds in which a sandbox's use of the thread decays (to 1/e), and the use up to which it never waits. The last is the
   * milliseconds of turns after which a waiting sandbox lets the others run.
   */
  shareDecayMs: 2_000,
  lightShareMs: 100,
  shareTurnMs: 15,
  /** The milliseconds after a light sandbox's turn for which others pause after theirs, and the maximum of a pause. */
  shareNeighbourMs: 1_000,
  shareRestMs: 50,
  /** The requests of a sandbox that wait for its turn, their bytes, and the milliseconds of a wait. Past them: 429. */
  waitingRequests: 300,
  waitingRequestBytes: 16 * MiB,
  waitingRequestMs: 15_000,
  /** Bytes that the edge holds for all watchers of a sandbox, and of all sandboxes. Past them the slowest are ended with `Expired`. */
  heldBySandboxBytes: 24 * MiB,
  heldByAllBytes: 64 * MiB,
} as const;

/** The limits of recorded container runs that call others in their cluster. */
export const timelineLimits = {
  /** The characters of all logs that the services of a node write, and of one audit event; a longer event loses its bodies. */
  nodeLogCharacters: 1_000_000,
  auditEventCharacters: 100_000,
  /** The newest requests to a program's own server that its run replays, of all containers of a pod together. */
  replayedVisits: 120,
  /** The work of a program's own server from its start: of replaying its visits, and of answering one. */
  programServerWork: 60_000,
  /** The visits that a run replays if the output of older ones has not been recorded yet. */
  recordedVisits: 600,
  /** Characters of the results of connections that are recorded with a request to a program's own server. */
  visitCallCharacters: 32_768,
  /** The recorded runs of a cluster that call others. The effects of further ones are not recorded. */
  timelineRuns: 1000,
  /** The estimated bytes of such runs that are suspended in memory. */
  timelineRunBytes: 8 * MiB,
  /** Characters of one segment of a recorded log, segments of a run, and characters of all of a cluster. */
  recordedLogSegmentCharacters: 16 * 1024,
  recordedLogSegments: 32,
  recordedLogCharacters: 4 * MiB,
  /** The total work of one such run, which is replayed after the object was evicted from memory. */
  timelineRunWork: 1_000_000,
  /** The milliseconds by which such a run is advanced in one step. */
  timelineStepMs: 60_000,
  /** The minimum milliseconds between two checks of runs that have changed no data yet, by a container that waits for changed data. */
  timelineWriterMs: 10_000,
  /** The work of such runs in one turn, after which other requests run. */
  timelineTurnWork: 30_000,
} as const;

/** The limits of a sandbox's clock and of reads of its history. */
export const timeLimits = {
  /** Milliseconds of the cluster's time, and of real time, that one run of a sandbox's clock takes at most. */
  clockRunMs: 366 * 24 * 3_600_000,
  clockRunRealMs: 60_000,
  /** The reconciles of usual cost in one turn of such a run, about 50 ms. */
  clockRunReconciles: 40,
  /** The milliseconds between two alarms that resume a run of the clock, in case the object dies. */
  clockRunAlarmMs: 5_000,
  /** Reasons of events that a run counts by name. */
  clockRunReasons: 200,
  /** The entries of a timeline, and the changes that one request for a timeline reads. */
  timelineEntries: 200,
  timelineRead: 5_000,
  /** Changes that one step of a followed timeline reads, and sent entries that the edge remembers as causes of later ones. */
  timelineStepRead: 1_000,
  timelineRemembered: 1_000,
  /** The causes of a change that a followed timeline adds before it, up to the request. */
  timelineCauses: 20,
  /**
   * The milliseconds between two steps of a followed timeline, between two keep-alive lines, and until it ends. The client then requests it
   * again.
   */
  timelineStepPauseMs: 250,
  timelineAliveMs: 15_000,
  timelineFollowMs: 3_600_000,
  /** Changes that one step of a recording reads, and bytes of a recording; past them it ends with a line that says so. */
  recordingStepChanges: 500,
  recordingBytes: 32 * MiB,
  /** The depth of the tree that explains why an object waits, and the entries below one node. */
  whyDepth: 4,
  whyReasons: 10,
  /** Characters of a duration and of the condition that a run of the clock ends with. */
  durationCharacters: 32,
  conditionCharacters: 2_000,
} as const;

/** The milliseconds for which a webhook's replaced secret signs beside the new one. */
export const webhookSecretOverlapMs = 24 * 3_600_000;

/** The limits of an organisation's event stream, `GET /v1/events`. */
export const eventLimits = {
  /** The recorded events of an organisation, and the days that they are recorded. */
  recorded: 1_000,
  recordedDays: 7,
  /** The events that one call to the tenant's object returns. */
  step: 100,
  /** The open streams of an organisation. */
  streams: 50,
  /** The milliseconds between two steps of a stream, between two heartbeats, and until a stream ends. The client then continues with another. */
  stepPauseMs: 250,
  aliveMs: 15_000,
  streamMs: 3_600_000,
} as const;

/** The limits of copies of stored data: backups, restores and exports. */
export const copyLimits = {
  /** The characters of a page of an object's copy, beyond which no further row is added. */
  pageCharacters: MiB,
  /** The characters of all rows that are read in the first turn, which stay in memory until the copy is complete. */
  heldCharacters: 64 * MiB,
  /** The rows that one query reads. */
  rows: 500,
  /** The milliseconds after a page for which the change log is not compacted, and another copy cannot begin. */
  pauseMs: 60_000,
  /** The rows of a table of D1 in one page, and the rows that one request restores. */
  databaseRows: 250,
  restoredRows: 500,
  /** The characters of a name of a table, a column, an object or a file. */
  nameCharacters: 256,
  /** The columns of a table. */
  columns: 100,
  /** The bytes of a page that restores an object: the longest row, and a page. */
  restoredPageBytes: 16 * MiB,
  /** The files in one page of the list of files. */
  files: 500,
} as const;
