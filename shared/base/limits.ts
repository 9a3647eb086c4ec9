// Every bound of the service, each with its unit and its reason.

const MiB = 1024 * 1024;

export const limits = {
  /** Bytes of a request body; upstream's `MaxRequestBodyBytes`. Past it: 413. */
  requestBodyBytes: 3 * MiB,
  /** Bytes of a body past which others have their turn between its reading and its writing. */
  largeBodyBytes: MiB / 4,
  /** Nesting of a body in JSON or YAML: upstream's bound is 10,000, which the platform's stack does not bear. Past it: 400. */
  jsonDepth: 1000,
  /** Nodes of a document in YAML, aliases followed: reading so many takes 50 ms. Past it: 400. What is sent as JSON has no such bound. */
  yamlNodes: 100_000,
  /** Errors that one refusal tells, and characters of a value that one shows. */
  toldErrors: 1000,
  toldValueCharacters: 16 * 1024,
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
  /** Bytes of stored text that a list with a limit reads at once; of a longer one, what comes after it is told at its end. */
  listAtOnceBytes: 2 * MiB,
  /** Bytes of parsed objects (counted as their JSON text) that the store keeps in memory. */
  objectCacheBytes: 8 * MiB,
  /** Bytes (as JSON) of the definitions of custom resources whose schemas are kept ready for use. */
  compiledDefinitionsBytes: 8 * MiB,
  /**
   * The change log, kept for watches, continue tokens and history: revisions, bytes of what was replaced, and milliseconds, as upstream
   * compacts every five minutes. It is measured at marks, each so far from the one before it, and reaches back at most one further.
   */
  changeLogRevisions: 50_000,
  changeLogBytes: 64 * MiB,
  changeLogMs: 5 * 60_000,
  changeLogMarkRevisions: 1000,
  changeLogMarkBytes: MiB,
  changeLogMarkMs: 60_000,
  /** Revisions that one write cuts off the log, and the bytes of their values at which it stops: cutting takes time. */
  compactionRevisions: 1000,
  compactionBytes: 4 * MiB,
  /** Revisions, and bytes of what was replaced, that a long read may fall behind; past them the log is compacted all the same. */
  heldRevisions: 100_000,
  heldBytes: 256 * MiB,
  /** Changes that one pass reads from the log, and the bytes of their values at which it stops. */
  changeBatch: 500,
  changeBatchBytes: 2 * MiB,
  /** Bytes of the newest changes that the store keeps in memory; up to twice that for a moment. */
  recentChangeBytes: MiB,
  /** Writes of a usual reconcile: one that does so many times more counts so many times. */
  writesPerReconcile: 4,
  /** Objects written in one turn of a request that writes many: then others have theirs. */
  writesPerTurn: 50,
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
  /** Characters of what people changed in a sandbox's containers and typed to them, all together. */
  keptEditsCharacters: 32 * MiB,
  /** Nodes of a sandbox. */
  sandboxNodes: 5_000,
  sandboxNodesDefault: 3,
  /** Characters of a sandbox's name: it becomes a context's name. */
  sandboxNameCharacters: 63,
  /** Sandboxes on one page of the control API's list. */
  sandboxPage: 100,
  sandboxPageMax: 500,
  /** Documents, empty ones too, of the YAML that a sandbox starts with. */
  manifestDocuments: 10_000,
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
