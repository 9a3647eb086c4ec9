// The limits of the service, with their units and reasons.

import { lessonLimits } from "./lesson-limits.ts";
import { shareLimits, timelineLimits, timeLimits } from "./share-limits.ts";
import { workLimits } from "./request-limits.ts";

const MiB = 1024 * 1024;

export const limits = {
  /** The free bytes of a local disk below which nothing is written, because reading needs some space; the milliseconds between checks. */
  roomBytes: 16 * MiB,
  roomMs: 500,
  /** Bytes of a request body; upstream's `MaxRequestBodyBytes`. Past it: 413. */
  requestBodyBytes: 3 * MiB,
  /** The bytes of a body beyond which other requests run between its reading and its writing. */
  largeBodyBytes: MiB / 8,
  /** The work of reading a body beyond which it waits for a turn of its own. */
  readingTurnWork: 2_500,
  /** The nesting of a body in JSON or YAML. Upstream's limit of 10,000 exceeds the platform's stack. Past it: 400. */
  jsonDepth: 1000,
  /** Nodes of a document in YAML, aliases followed: reading so many takes 50 ms. Past it: 400. */
  yamlNodes: 100_000,
  /** The errors of one response, and the characters of a value in an error. */
  toldErrors: 1000,
  toldValueCharacters: 16 * 1024,
  /** Bytes of an answer past which it is compressed for a client that takes gzip; upstream's threshold. */
  gzipBytes: 128 * 1024,
  /** Bytes of an unwanted request body that are read, so that the refusal reaches the client. */
  discardedBodyBytes: 8 * MiB,
  /** Bytes of one stored object as JSON: a row of the platform's SQLite holds 2 MB. */
  objectBytes: 1_500_000,
  /**
   * The entries of all maps and lists of a stored object. A patch of a map of 10,000 entries takes about 45 ms. The largest custom resource
   * definitions in use have about 40,000, in short maps. Past it: 413.
   */
  objectEntries: 60_000,
  objectLongEntries: 10_000,
  longEntries: 1_000,
  /** Objects on one page of a list as it is read from SQLite, whatever the client's `limit`. */
  listPageObjects: 500,
  /** The bytes of stored text at which such a page ends, because ten concurrent clients hold ten pages. */
  listPageBytes: MiB / 2,
  /** The bytes of stored text that a list with a limit reads at once. The remaining count of a longer list is computed at its end. */
  listAtOnceBytes: 2 * MiB,
  /** Bytes of parsed objects (counted as their JSON text) that the store keeps in memory. */
  objectCacheBytes: 8 * MiB,
  /** Bytes of objects in protobuf that are kept for the next list, all together and each. */
  keptEncodingBytes: 4 * MiB,
  keptEncodingBytesEach: 16 * 1024,
  /** Bytes (as JSON) of the definitions of custom resources whose schemas are kept ready for use. */
  compiledDefinitionsBytes: 8 * MiB,
  /**
   * The change log for watches, lists and continue tokens: revisions, bytes of replaced values, and milliseconds. Upstream compacts every
   * five minutes. The log is measured at marks and reaches back at most one mark further.
   */
  changeLogRevisions: 50_000,
  changeLogBytes: 64 * MiB,
  changeLogMs: 5 * 60_000,
  changeLogMarkRevisions: 1000,
  changeLogMarkBytes: MiB,
  changeLogMarkMs: 60_000,
  /** The writes of the log that resolve a time to a revision, and the number of them that stay in memory while the cluster is idle. */
  pastWrites: 10_000,
  restingPastWrites: 500,
  /** The age, and the bytes of replaced values, up to which the history is stored; its marks are further apart. */
  historyMs: 24 * 3_600_000,
  historyBytes: 64 * MiB,
  historyMarkMs: 3_600_000,
  historyMarkBytes: 2 * MiB,
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
  /** The same once controllers have read them all. */
  restingChangeBytes: 16 * 1024,
  /** Entries of managed fields of which a process keeps what it has read; some 2 KB each. */
  readFieldSets: 512,
  ...workLimits,
  /** The objects written in one turn of a request before other requests run. */
  writesPerTurn: 50,
  /** Usual reconciles in one turn that answers a request, some 36 ms: what is left runs on the alarm. */
  drainPerRequest: 30,
  /** The same where a sandbox is made: a fresh cluster's, which are small, all take some 15 ms. */
  drainPerCreation: 100,
  /**
   * The default and maximum of the milliseconds after the last write at which controllers run, and the factor for the first write of a
   * burst.
   */
  controllerDelayMs: 10,
  controllerDelayMsMax: 1000,
  burstDelays: 5,
  /** The milliseconds until an alarm runs controllers if the object dies before they ran. */
  burstAlarmMs: 1000,
  /** The milliseconds between attempts to admit a pod without a default account in its namespace: upstream tries ten times. */
  accountWaitsMs: [10, 20, 40, 80, 160, 320, 640],
  /** Reconciles in one alarm run, so that requests are answered in between. */
  drainPerAlarm: 20,
  /** Milliseconds after which a drain ends before its next reconcile, where the clock runs within a turn. */
  drainMs: 40,
  ...shareLimits,
  ...timeLimits,
  /** Requests that one alarm run does carefully, one at a time: it has a bound of CPU. */
  carefulPerAlarm: 100,
  /** The estimated bytes of cached container runs; a larger run is cached alone. */
  keptRunBytes: 16 * MiB,
  /** Bytes (estimated) of runs that wait where a reader left them, of a cluster. */
  suspendedRunBytes: 8 * MiB,
  /** Characters of a log that are rendered in one turn: a reader takes them before there are more. */
  logPieceCharacters: 64 * 1024,
  /** Milliseconds after which a reconcile that asked outside asks again: its question was lost with the object. */
  answerWaitMs: 60_000,
  /** The milliseconds for which a request or container that killed the process is set aside, at first and at most. */
  setAsideFirstMs: 60_000,
  setAsideMs: 3_600_000,
  /** The requests, and containers, of a sandbox that are recorded as having killed it; the oldest are deleted. */
  setAsideMost: 500,
  /** Bytes (characters) of one frame to a live watch, unless a single event is longer: messages hold 32 MiB. */
  watchFrameBytes: 256 * 1024,
  /** The characters that one turn sends to all live watches, with four times as much for rendering: 50 ms. Other watches pull. */
  watchFlushCharacters: 16 * MiB,
  /** The revisions after which a watch without events receives the current revision, so that its bookmarks stay fresh. */
  watchTellRevisions: 5_000,
  /** Bytes that a joining watch may be sent over its socket to catch up; more is pulled as a body. */
  watchJoinBytes: 1 * MiB,
  /** Bytes the edge holds for a slow watcher before it drops them and pulls again. */
  watchBufferBytes: 1 * MiB,
  /** Bytes of small events that the edge writes to a watcher at once, and bytes that count as held while a pulled body is read. */
  watchWriteBytes: 64 * 1024,
  watchPullBytes: MiB / 2,
  /** Bytes (characters) that one WebSocket watch is sent after what there was at first: its client may not be reading. */
  watchSocketBytes: 8 * MiB,
  /** Bytes of a log that one WebSocket is sent: its client may not be reading. */
  logSocketBytes: 16 * MiB,
  /** Bytes of a hibernated socket's attachment (the platform's limit). */
  socketAttachmentBytes: 16_384,
  /** Bytes of what a webhook or an aggregated API answers: an object holds several of them at once. */
  outsideAnswerBytes: 8 * MiB,
  /** The bytes of custom resources that a webhook has converted, cached for the next reader. */
  convertedBytes: 8 * MiB,
  /** The default limits of one sandbox: see `SandboxLimits`. A Durable Object has 128 MB of memory and 10 GB of storage. */
  sandbox: {
    /** The objects; an index of this size takes about 20 MB. Upstream is tested with 150,000 pods. */
    objects: 100_000,
    /** The nodes: Kubernetes' supported maximum. */
    nodes: 5_000,
    /** etcd's default quota, `--quota-backend-bytes`. */
    bytes: 2048 * MiB,
    /** The watches; a change is sent to all of them in one turn. */
    watches: 1_000,
    /** The concurrent reads; each holds a page, or its encoding, 100 MB if all readers stop reading. */
    reads: 100,
    sessions: 200,
    tunnels: 64,
    /** The rate of requests, above what one object can answer. The platform documents 1,000 for one object. */
    requestsPerSecond: 5_000,
    /** Upstream's `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
    requestsInFlight: 600,
    webhookCalls: 100,
  },
  /** The share of a limit of objects or bytes that is reserved for cleaning up, and for the cluster's own records. */
  reserve: 1 / 16,
  /** The characters of all flow schemas as JSON. Beyond them, requests are not classified, because each one is compared with all. */
  flowSchemaCharacters: 256 * 1024,
  /** Characters of a program's words and variables, of all of them and of each: Linux's `ARG_MAX` with the usual stack, and `MAX_ARG_STRLEN`. */
  argumentCharacters: 2 * MiB,
  argumentStringCharacters: 128 * 1024,
  /** Bytes of request bodies that are held at once: what is announced, and what is read of those that are not. */
  bodiesInFlightBytes: 32 * MiB,
  /** Seconds after which a client that was refused for a limit is told to come again; upstream's. */
  retryAfterSeconds: 1,
  /** The milliseconds for which a session counts as open after its last request: twice as long as a program runs ahead. */
  sessionLeaseMs: 30_000,
  /** The milliseconds after which a tunnel is closed, so that its client authenticates again. */
  tunnelMs: 3_600_000,
  /** The characters of all changes of files and all input in a sandbox's containers. */
  keptEditsCharacters: 32 * MiB,
  /**
   * The work, in microseconds, of following the containers of a pod once: for their status, and for their output. Each has an equal share.
   * A command costs a unit, plus its data. Beyond the limit, the state is unknown.
   */
  containerWork: 20_000,
  containerPrintWork: 30_000,
  /** The Service ports in a container's environment variables; further Services can be found only by DNS. */
  serviceLinkPorts: 200,
  /** The work of other containers' changes to shared volumes. */
  besideWork: 12_000,
  besidePrintWork: 18_000,
  /** Work of all commands that one look at a pod has its probes run; each has an equal share. */
  probeWork: 10_000,
  /**
   * The work of a pod that answers a container over the network; the container is charged. A program's server replays the requests that it
   * remembers, for each request.
   */
  reachedWork: 20_000,
  /** Bytes of a list of the API that a container is shown. */
  containerListBytes: MiB,
  /** Bytes of the pods that a kubelet tells of through the API's proxy. */
  kubeletListBytes: 4 * MiB,
  /** Work that a person who interrupts runaway commands gets back in one session, and each time. */
  interruptedWork: 30_000,
  interruptedWorkEach: 10_000,
  /** Bytes that a container's programs hold where it has no memory limit, or a larger one: variables, words, pipes, files. */
  containerMemoryBytes: 4 * MiB,
  /** The bytes including the initial data of the container: environment, arguments and mounted files. */
  containerHeldBytes: 8 * MiB,
  /** Bytes of memory of an interpreter of another language, all of it. */
  interpreterMemoryBytes: 24 * MiB,
  /** The memory of all suspended interpreters in this process. Further programs wait. */
  interpretersMemoryBytes: 72 * MiB,
  ...timelineLimits,
  /** A memory limit below this counts as this: the bytes of a shell itself. */
  containerMemoryBytesMin: 256 * 1024,
  /** The bytes of previous versions of files that one run stores. Beyond them, the state is unknown. */
  containerHistoryBytes: 2 * MiB,
  /** Bytes of what it printed that are kept, the newest. */
  containerLogBytes: 4 * MiB,
  /** Calls, substitutions and blocks of a script in each other: past it a shell has no stack left. */
  shellDepth: 200,
  /** Background jobs in each other: past it no process can be forked. */
  shellForks: 10,
  /** Bytes of a path; upstream of it, the kernel's `PATH_MAX`. */
  pathBytes: 4096,
  /** Snapshots of a tenant, days that one is kept, and characters of its note. */
  snapshots: 100,
  snapshotDays: 30,
  snapshotNoteCharacters: 1000,
  /** The files on a page of the search for files without a row (D1 binds 100 values), and the pages of one run. */
  filePage: 90,
  filePages: 50,
  /** The limits of a comparison: objects, fields of one object, and characters in total. */
  diffObjects: 2_000,
  diffFields: 200,
  diffCharacters: 4 * MiB,
  /** Characters of objects that one reads; pairs of lines that its text compares, which is a second's work. */
  diffReadCharacters: 256 * MiB,
  diffLinePairs: 200_000_000,
  /** Characters of a sandbox that is written out as YAML. */
  exportCharacters: 32 * MiB,
  /** Bytes of a sandbox's state as a file: the platform's calls between edge and object hold 32 MiB. */
  stateFileBytes: 24 * MiB,
  /**
   * The limits of such a file, uncompressed: the bytes of its index and metadata. A block ends at the first number of bytes and has at most
   * the second: an object has up to 1.5 million characters.
   */
  stateIndexBytes: 32 * MiB,
  stateMetaBytes: 48 * MiB,
  stateBlockBytes: 64 * 1024,
  stateBlockBytesMost: 5 * MiB,
  /** Characters of objects that one turn reads and compresses where a state is written as a file: some 25 ms. */
  statePieceCharacters: MiB,
  /** Changes that an undo looks back for a user's request, and for the first of it; objects that it names. */
  undoneChanges: 20_000,
  undoneObjects: 500,
  /**
   * The limits of the control API's history: entries of a page, and writes that one page reads. Then the characters of their fields in
   * total, the fields of one change, the characters of one value, and of an object's name.
   */
  changesPage: 50,
  changesRead: 20_000,
  changesCharacters: MiB,
  changedFields: 30,
  changedValueCharacters: 2000,
  changedNameCharacters: 300,
  /**
   * The limits of a process for files of initial states: objects in their indexes (about 200 bytes each), and characters of their blocks.
   * The last is for the objects with certificates of one sandbox.
   */
  baseIndexObjects: 200_000,
  baseBlockCharacters: 4 * MiB,
  baseOwnBytes: MiB,
  /** Nodes of a sandbox. */
  sandboxNodes: 5_000,
  sandboxNodesDefault: 3,
  featureGates: 100,
  featureGateCharacters: 100,
  /** The characters of a range of IPv4 addresses. */
  cidrCharacters: 18,
  /** With more nodes a sandbox has the pods of kube-system only where they are asked for: two of them are on each node. */
  systemPodsNodes: 20,
  /** The entries of a sandbox's `images` (prefixes of names, and definitions), and the characters of a prefix. */
  imagePrefixes: 50,
  imagePrefixCharacters: 255,
  /** Characters of a pull secret, in base64, that is read for its registries: past it they are not known. */
  pullSecretCharacters: 64 * 1024,
  /** Characters of a sandbox's name: it becomes a context's name. */
  sandboxNameCharacters: 63,
  sandboxDescriptionCharacters: 500,
  /** Labels of a sandbox, and characters of a key or a value. */
  labels: 32,
  labelCharacters: 63,
  /** Names of controllers that a sandbox may be given. */
  chosenControllers: 100,
  seedMax: 2 ** 31 - 1,
  /** The wait of a request whose controller is stopped. It ends when the controller runs again. */
  stoppedWaitMs: 3_600_000,
  /** The default and maximum of seconds that a creation waits for workloads; the listed workloads, and the characters of a reason. */
  waitSeconds: 60,
  waitSecondsMax: 300,
  notReady: 50,
  notReadyCharacters: 500,
  /** After so long a tenant that moves to another database may have moved. */
  tenantMovingRetrySeconds: 10,
  /**
   * The milliseconds for which an `Idempotency-Key` is stored, the keys of one deletion, the rounds of a run, and the response's
   * characters.
   */
  idempotencyMs: 24 * 3600 * 1000,
  /** The keys of one tenant within that time. */
  idempotencyKeys: 10_000,
  idempotencyPage: 1_000,
  idempotencyPages: 500,
  idempotencyCharacters: 512 * 1024,
  /** API keys, members and open invitations of a tenant; organisations, passkeys and sessions of a person. */
  keys: 100,
  members: 500,
  invitations: 100,
  memberships: 50,
  passkeys: 20,
  sessions: 50,
  /** Scopes that a key may be given: more than there are. */
  keyScopes: 100,
  /** Seconds that a key lives at most that expires, and an invitation unless it says otherwise, and at most. */
  keyTtlSecondsMax: 5 * 365 * 24 * 3600,
  invitationTtlSeconds: 7 * 24 * 3600,
  invitationTtlSecondsMax: 30 * 24 * 3600,
  /** Milliseconds that a session lives, and that signing in may take, from what is asked to what is answered. */
  sessionMs: 30 * 24 * 3600 * 1000,
  signInMs: 10 * 60_000,
  /** The milliseconds after which a request to GitHub is aborted. */
  oauthWaitMs: 10_000,
  /** Characters of what people call something, of an id, of what GitHub sends back, and of a part of a passkey's answer. */
  titleCharacters: 100,
  idCharacters: 100,
  oauthCharacters: 1024,
  passkeyCharacters: 16 * 1024,
  /** Characters of what a browser says it is that are kept with its session. */
  browserCharacters: 200,
  /** Milliseconds between two notes of when a key or a session was last used. */
  lastUsedMs: 3_600_000,
  /** Keys and sessions, and origins, that an isolate remembers, and milliseconds for which it does: so long what was revoked may go on. */
  rememberedCallers: 1_000,
  rememberedCallerMs: 30_000,
  rememberedOriginMs: 60_000,
  /** Milliseconds for which an isolate remembers a tenant's plan, and whether it is suspended. */
  rememberedPlanMs: 10_000,
  /** Milliseconds after which D1 is not waited for any longer where a page of another origin asks a sandbox. */
  originWaitMs: 2_000,
  /** Origins that a tenant names, and seconds that a browser may remember that it may ask. */
  allowedOrigins: 20,
  preflightSeconds: 600,
  /** The entries of a tenant's audit log, the milliseconds that one is stored, the entries of one deletion, and the rounds of a run. */
  controlAuditEntries: 10_000,
  controlAuditMs: 90 * 24 * 3600 * 1000,
  controlAuditPage: 1_000,
  controlAuditPages: 500,
  /** Deleted tenants that one run looks after, and how many pages of sandboxes of each. */
  tenantsSwept: 20,
  tenantPages: 10,
  /** Sandboxes on one page of the control API's list. */
  sandboxPage: 100,
  sandboxPageMax: 500,
  /** Documents, empty ones too, of the YAML that a sandbox starts with. */
  manifestDocuments: 10_000,
  /** Problems that a refusal of manifests lists, and characters of a field and of the words of each. */
  manifestProblems: 50,
  manifestProblemCharacters: 1_000,
  /** Versions of a tenant's templates; characters of the manifests of one, its nodes, users and incidents; built-in and own names. */
  templates: 500,
  /** The numbers of deleted versions that stay reserved, and the days for which they do. */
  templateNumbers: 1_000,
  templateNumberDays: 60,
  templateCharacters: MiB,
  templateNodes: 100,
  templateUsers: 20,
  templateIncidents: 10,
  templateTextCharacters: 500,
  /** Milliseconds that the making of a template waits for its workloads: what does not run by then begins as it is. */
  templateSettleMs: 10_000,
  /** The webhooks of a tenant, and the characters of a URL. */
  webhooks: 50,
  webhookUrlCharacters: 2_000,
  /**
   * The waiting deliveries of a tenant, the listed ones of each webhook, and the days that they are listed; the concurrent deliveries, and
   * the milliseconds of a response. The seconds between attempts, as in Standard Webhooks: a day in total.
   */
  waitingDeliveries: 1_000,
  toldDeliveries: 100,
  deliveryDays: 7,
  deliveriesAtOnce: 10,
  deliveryMs: 10_000,
  deliveryPauseSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000],
  deliveryErrorCharacters: 300,
  /** The milliseconds before a sandbox's expiry at which the event is sent, at most a sixth of its life. */
  expiringSoonMs: 600_000,
  /** The minimum milliseconds between two events about the same limit of a sandbox. */
  limitEventIntervalMs: 3_600_000,
  /** Sandboxes that a tenant's object counts, whatever the plan says: it holds them in memory. */
  tenantSandboxes: 50_000,
  /**
   * The minimum milliseconds between a sandbox's usage reports, and from a request to the first report. No request waits for one, and an
   * alarm sends an overdue report.
   */
  usageReportMs: 5_000,
  usageDelayMs: 1_000,
  /** Days for which usage is kept, that one question may span, and rows of one answer. */
  usageDays: 400,
  usageSpanDays: 92,
  usageRows: 10_000,
  /**
   * The limits of trials: bits of work, milliseconds to solve it, sandboxes of one address within an hour, and the seconds that one lives.
   */
  trialDifficulty: 18,
  trialChallengeMs: 600_000,
  trialsOfAddress: 3,
  trialTtlSeconds: 3600,
  /** Milliseconds after which a request of the control API, or one of a sandbox that holds nothing open, is told of as slow. */
  slowRequestMs: 2_000,
  /** Tenants, and sandboxes of one, on a page of what an operator asks; tenants whose counts one scheduled run looks at. */
  tenantPage: 100,
  reconciledTenants: 200,
  /** The number of sandboxes that one request or run informs of changed limits, of concurrent calls, and of tenants in one run. */
  informedSandboxes: 300,
  informedAtOnce: 20,
  informedTenants: 20,
  /** Seconds a sandbox lives by default, and at most. */
  sandboxTtlSeconds: 24 * 3600,
  sandboxTtlSecondsMax: 30 * 24 * 3600,
  /** Seconds a sandbox lives at least: shorter ones would be gone before their kubeconfig arrives. */
  sandboxTtlSecondsMin: 10,
  /**
   * The milliseconds of a request's lease on its sandbox and its `Idempotency-Key`; the interval of renewals; and the minimum interval
   * between comparisons of a tenant's counts with the directory.
   */
  requestLeaseMs: 10_000,
  requestRenewMs: 2_500,
  recountMs: 10_000,
  /** Milliseconds after which a sandbox that is still being made is taken for one whose making was cut off. */
  sandboxMakingMs: 10 * 60_000,
  /** Sandboxes that one run finishes deleting: a call of each one's object. */
  sandboxesSwept: 200,
  tokenTtlSecondsMin: 1,
  /** Tokens of a sandbox that have not expired, the administrator's among them. */
  sandboxTokens: 500,
  /** Audit events that a sandbox keeps, and their characters together. */
  auditEvents: 500,
  auditBytes: 1_000_000,
  /** Characters of a request's `Audit-Id`, which its client may choose, that stand beside each of its changes. */
  auditIdCharacters: 128,
  /** Groups of one token, and characters of a user's or group's name. */
  tokenGroups: 50,
  userNameCharacters: 253,
  /** Ids, and tokens with ids, that the edge remembers having checked, and characters of such a token; past them all are forgotten. */
  keptAdmissions: 1_000,
  keptTokenCharacters: 4 * 1024,
  /** Tokens of service accounts whose signatures a cluster remembers. */
  keptSignatures: 200,
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
  ...lessonLimits,
  /** Instructions of one regular expression that a client, a schema or a script brings: compiling so many takes about 40 ms and 10 MB. */
  patternInstructions: 8_000,
  /** Work that compiling the patterns in constants of one expression may take. */
  patternUnits: 50_000,
  /** Instructions of such patterns that are kept compiled; one of them, and what its automaton holds, is about a kilobyte. */
  keptPatternInstructions: 20_000,
  /** Units of work, each about a microsecond, of the patterns that one request to a simulated server is matched with. */
  requestPatternUnits: 20_000,
  /** Groups of such an expression: while it is matched each instruction may hold the places of all of them, 13 MB at most. */
  patternGroups: 100,
  /** Bytes that a regular expression's automaton may hold for the states it has met; past them they are forgotten. */
  patternStatesBytes: 64 * 1024,
} as const;
