// Every bound of the service, each with its unit and its reason.

const MiB = 1024 * 1024;

export const limits = {
  /** Bytes of a request body; upstream's `MaxRequestBodyBytes`. Past it: 413. */
  requestBodyBytes: 3 * MiB,
  /** Bytes of an answer past which it is compressed for a client that takes gzip; upstream's threshold. */
  gzipBytes: 128 * 1024,
  /** Bytes of an unwanted request body that are read, so that the refusal reaches the client. */
  discardedBodyBytes: 8 * MiB,
  /** Bytes of one stored object as JSON: a row of the platform's SQLite holds 2 MB. */
  objectBytes: 1_500_000,
  /** Objects on one page of a list as it is read from SQLite, whatever the client's `limit`. */
  listPageObjects: 500,
  /** Bytes of stored text at which such a page ends: ten clients that list at once hold ten of them. */
  listPageBytes: MiB / 2,
  /** Bytes of parsed objects (counted as their JSON text) that the store keeps in memory. */
  objectCacheBytes: 8 * MiB,
  /** Bytes (as JSON) of the definitions of custom resources whose schemas are kept ready for use. */
  compiledDefinitionsBytes: 8 * MiB,
  /** Revisions of the change log kept for watches, continue tokens and history. */
  changeLogRevisions: 50_000,
  /** Revisions that a long read may fall behind; past it the log is compacted all the same. */
  heldRevisions: 100_000,
  /** Changes that one pass reads from the log, and the bytes of their values at which it stops. */
  changeBatch: 500,
  changeBatchBytes: 2 * MiB,
  /** Bytes of the newest changes that the store keeps in memory; up to twice that for a moment. */
  recentChangeBytes: MiB,
  /** Writes of a usual reconcile: one that does so many times more counts so many times. */
  writesPerReconcile: 4,
  /** Reconciles in one turn that answers a request: what is left runs on the alarm. */
  drainPerRequest: 60,
  /** Reconciles in one alarm run, so that requests are answered in between. */
  drainPerAlarm: 20,
  /** Milliseconds that requests may follow one another before all of them let the runtime look for others. */
  breathMs: 20,
  /** Milliseconds without a request after which nobody can be kept out. */
  idleMs: 100,
  /** Requests tried one at a time in one alarm run, after a run that was killed. */
  suspectsPerAlarm: 100,
  /** Milliseconds after which a reconcile that asked outside asks again: its question was lost with the object. */
  answerWaitMs: 60_000,
  /** Milliseconds that a request is set aside for when it killed two runs. */
  setAsideMs: 3_600_000,
  /** Bytes (characters) of one frame to a live watch, unless a single event is longer: messages hold 32 MiB. */
  watchFrameBytes: 256 * 1024,
  /** Revisions after which a watch that nothing concerned is told how far the cluster is, so that its bookmarks stay fresh. */
  watchTellRevisions: 5_000,
  /** Bytes that a joining watch may be sent over its socket to catch up; more is pulled as a body. */
  watchJoinBytes: 1 * MiB,
  /** Bytes the edge holds for a slow watcher before it drops them and pulls again. */
  watchBufferBytes: 1 * MiB,
  /** Bytes (characters) that one WebSocket watch is sent after what there was at first: its client may not be reading. */
  watchSocketBytes: 8 * MiB,
  /** Bytes of a hibernated socket's attachment (the platform's limit). */
  socketAttachmentBytes: 16_384,
  /** Bytes of what a webhook or an aggregated API answers: an object holds several of them at once. */
  outsideAnswerBytes: 8 * MiB,
  /** Bytes of custom resources that a webhook has converted, kept for who asks for them next. */
  convertedBytes: 8 * MiB,
  /** Tunnels of a sandbox that are open at once. */
  tunnels: 64,
  /** Milliseconds after which a tunnel is asked nothing any more: whoever holds it shows who it is again, by a new one. */
  tunnelMs: 3_600_000,
  /**
   * Work, in units of about a microsecond, that following the containers of a pod once may cost: to see how they fare, and for all
   * that they print. Each has an equal share. A command costs a unit, and whatever it touches more. What is done after that is not known.
   */
  containerWork: 20_000,
  containerPrintWork: 30_000,
  /** The same for what the others do to volumes that several of them share. */
  besideWork: 10_000,
  besidePrintWork: 15_000,
  /** Work of all commands that one look at a pod has its probes run; each has an equal share. */
  probeWork: 10_000,
  /** Work of what runs in a pod that a container asks over the network; the container pays for it. */
  reachedWork: 5_000,
  /** Bytes of a list of the API that a container is shown. */
  containerListBytes: MiB,
  /** Work that a person who interrupts runaway commands gets back in one session, and each time. */
  interruptedWork: 30_000,
  interruptedWorkEach: 10_000,
  /** Bytes that a container's programs hold where it has no memory limit, or a larger one: variables, words, pipes, files. */
  containerMemoryBytes: 4 * MiB,
  /** Those with what it finds at its start: its environment, its arguments and the files that are mounted. */
  containerHeldBytes: 8 * MiB,
  /** A memory limit below this counts as this: the bytes of a shell itself. */
  containerMemoryBytesMin: 256 * 1024,
  /** Bytes of what its files were before they were changed, in one run: past it, what it does is not known. */
  containerHistoryBytes: 2 * MiB,
  /** Bytes of what it printed that are kept, the newest. */
  containerLogBytes: 4 * MiB,
  /** Calls, substitutions and blocks of a script in each other: past it a shell has no stack left. */
  shellDepth: 200,
  /** Background jobs in each other: past it no process can be forked. */
  shellForks: 10,
  /** Bytes of a path; upstream of it, the kernel's `PATH_MAX`. */
  pathBytes: 4096,
  /** Nodes of a sandbox. */
  sandboxNodes: 5_000,
  sandboxNodesDefault: 3,
  /** Characters of a sandbox's name: it becomes a context's name. */
  sandboxNameCharacters: 63,
  /** Sandboxes on one page of the control API's list. */
  sandboxPage: 100,
  sandboxPageMax: 500,
  /** Seconds a sandbox lives by default, and at most. */
  sandboxTtlSeconds: 24 * 3600,
  sandboxTtlSecondsMax: 30 * 24 * 3600,
  /** Seconds a sandbox lives at least: shorter ones would be gone before their kubeconfig arrives. */
  sandboxTtlSecondsMin: 10,
  tokenTtlSecondsMin: 1,
  /** Tokens of a sandbox that have not expired, the administrator's among them. */
  sandboxTokens: 500,
  /** Audit events that a sandbox keeps, and their characters together. */
  auditEvents: 500,
  auditBytes: 1_000_000,
  /** Groups of one token, and characters of a user's or group's name. */
  tokenGroups: 50,
  userNameCharacters: 253,
  /** Characters of a client certificate as base64: proxies pass no longer ones on. */
  clientCertificateCharacters: 16 * 1024,
  /** OpenID Connect issuers of a sandbox, what each may be told, and bytes of what it is asked for. */
  sandboxIssuers: 10,
  issuerAudiences: 20,
  issuerRules: 20,
  issuerTextCharacters: 1024,
  issuerAuthorityCharacters: 32 * 1024,
  /** Origins in one view token: they travel in a header. */
  tokenFrameOrigins: 20,
  /** Seconds a watch without `timeoutSeconds` lasts: a random time between these, as upstream's `MinRequestTimeout`. */
  watchSecondsMin: 30 * 60,
  watchSecondsMax: 60 * 60,
  /** Seconds a watch lasts at most, whatever was asked: timers hold 31 bits of milliseconds. */
  watchSecondsCeiling: 24 * 3600,
  /** Seconds between the bookmarks of a watch that asked for them. */
  watchBookmarkSeconds: 60,
} as const;
