// The limits of the service, with their units and reasons.

import { lessonLimits } from "./lesson-limits.ts";
import { shareLimits, timelineLimits, timeLimits } from "./share-limits.ts";
import { importLimits, waitLimits, workLimits } from "./request-limits.ts";

const MiB = 1024 * 1024;

export const limits = {
  /** The free bytes of a local disk below which nothing is written, because reading needs some space; the milliseconds between checks. */
  reservedDiskBytes: 16 * MiB,
  diskCheckMs: 500,
  /** The maximum bytes of a request body; upstream's `MaxRequestBodyBytes`. Past it: 413. */
  requestBodyBytes: 3 * MiB,
  /** The size of a body beyond which other requests run after it is parsed and before it is written. */
  largeBodyBytes: MiB / 8,
  /** The work of parsing a body beyond which the body waits for a turn of its own. */
  readingTurnWork: 2_500,
  /** The maximum nesting of a body in JSON or YAML. Upstream's limit of 10,000 exceeds the platform's stack. Past it: 400. */
  jsonDepth: 1000,
  /** The maximum nodes of a YAML document with expanded aliases. Parsing so many takes 50 ms. Past it: 400. */
  yamlNodes: 100_000,
  /** The errors of one response, and the characters of a value in an error. */
  toldErrors: 1000,
  toldValueCharacters: 16 * 1024,
  /** The size of a response beyond which it is compressed for a client that accepts gzip; upstream's threshold. */
  gzipBytes: 128 * 1024,
  /** The bytes of a refused request's body that are read and discarded, so that the client receives the response. */
  discardedBodyBytes: 8 * MiB,
  /** The maximum size of a stored object as JSON. A row of the platform's SQLite holds 2 MB. */
  objectBytes: 1_500_000,
  /**
   * The maximum entries of all maps and lists of an object. The largest custom resource definitions in use have about 40,000, in short maps.
   * Past it: 413.
   */
  entriesPerObject: 60_000,
  /** The maximum entries of an object's long maps and lists. A patch of a map of so many takes about 45 ms. Past it: 413. */
  entriesInLongCollections: 10_000,
  /** Maps and lists with more entries are long. */
  longCollectionFrom: 1_000,
  /** The objects that a list reads from SQLite at once, independent of the client's `limit`. */
  listPageObjects: 500,
  /** The bytes of stored text at which such a page ends, because ten concurrent clients hold ten pages. */
  listPageBytes: MiB / 2,
  /** The bytes of stored text that a list with a limit reads at once. The remaining count of a longer list is computed at its end. */
  listAtOnceBytes: 2 * MiB,
  /** The size of the store's cache of parsed objects, counted as their JSON text. */
  objectCacheBytes: 8 * MiB,
  /** The size of the cache of objects that are encoded as protobuf, and the maximum size of an entry. */
  keptEncodingBytes: 4 * MiB,
  keptEncodingBytesEach: 16 * 1024,
  /** The size of the cache of compiled CustomResourceDefinitions, counted as their JSON text. */
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
  /** The maximum writes in the index that resolves a time to a revision, and the number beyond which an idle cluster drops the index. */
  pastWrites: 10_000,
  restingPastWrites: 500,
  /** The age, and the bytes of replaced values, up to which the history is stored; its marks are further apart. */
  historyMs: 24 * 3_600_000,
  historyBytes: 64 * MiB,
  historyMarkMs: 3_600_000,
  historyMarkBytes: 2 * MiB,
  /** The revisions that one write compacts, and the bytes of their values at which it stops, because compaction takes time. */
  compactionRevisions: 1000,
  compactionBytes: 4 * MiB,
  /** The revisions, and the bytes of replaced values, for which a long read delays compaction. Past them, the log is compacted regardless. */
  heldRevisions: 100_000,
  heldBytes: 256 * MiB,
  /** The changes that are read from the log at once, and the bytes of their values at which the read stops. */
  changeBatch: 500,
  changeBatchBytes: 2 * MiB,
  /** The bytes of the newest changes that the store keeps in memory; briefly up to twice as many. */
  recentChangeBytes: MiB,
  /** The bytes of the newest changes in memory after all controllers have read them. */
  restingChangeBytes: 16 * 1024,
  /** The entries of managed fields whose parsed field sets are cached; each takes about 2 KB. */
  readFieldSets: 512,
  /** The characters of the structures of new objects whose field sets are cached; each takes about ten bytes. */
  createdStructureCharacters: 200_000,
  ...workLimits,
  /** The objects written in one turn of a request before other requests run. */
  writesPerTurn: 50,
  /** The reconciles of usual cost in a turn that answers a request, about 36 ms. The alarm runs the rest. */
  drainPerRequest: 30,
  /** The reconciles in the turn that creates a sandbox. All reconciles of a new cluster are small and take about 15 ms together. */
  drainPerCreation: 100,
  /**
   * The default and maximum delay of controllers after the last write of a burst. They run at the latest when the first write is `burstDelays`
   * times as old as the delay.
   */
  controllerDelayMs: 10,
  controllerDelayMsMax: 1000,
  burstDelays: 5,
  /** The milliseconds until an alarm runs controllers if the object dies before they ran. */
  burstAlarmMs: 1000,
  /** The milliseconds between attempts to admit a pod in a namespace without its default service account. Upstream tries ten times. */
  accountWaitsMs: [10, 20, 40, 80, 160, 320, 640],
  /** The reconciles of one alarm run. Requests are answered between two runs. */
  drainPerAlarm: 20,
  /** The milliseconds after which a drain starts no further reconcile, on platforms whose clock advances within a turn. */
  drainMs: 40,
  ...shareLimits,
  ...timeLimits,
  /** The requests that a careful run reconciles in one alarm, because the platform bounds the alarm's CPU time. */
  carefulPerAlarm: 100,
  /** The estimated bytes of cached container runs; a larger run is cached alone. */
  keptRunBytes: 16 * MiB,
  /** The estimated bytes of a cluster's suspended runs, which continue at the next read. */
  suspendedRunBytes: 8 * MiB,
  /** The characters of a log that are rendered in one turn. More are rendered when the client has read these. */
  logPieceCharacters: 64 * 1024,
  /** The milliseconds after which a reconcile repeats an outbound call whose response was lost with the object's memory. */
  answerWaitMs: 60_000,
  /** The milliseconds for which a request or container that killed the process is set aside, at first and at most. */
  setAsideFirstMs: 60_000,
  setAsideMs: 3_600_000,
  /** The requests and containers that a sandbox records as having ended its process; the oldest are deleted. */
  setAsideMost: 500,
  /** The characters of one frame to a live watch, unless a single event is longer. The platform's messages hold 32 MiB. */
  watchFrameBytes: 256 * 1024,
  /** The characters that one turn sends to all live watches, with four times as much for rendering: 50 ms. Other watches pull. */
  watchFlushCharacters: 16 * MiB,
  /** The revisions after which a watch without events receives the current revision, so that its bookmarks stay fresh. */
  watchTellRevisions: 5_000,
  /** The bytes of missed events that a joining watch receives over its socket. More are pulled as a response body. */
  watchJoinBytes: 1 * MiB,
  /** The bytes that the edge buffers for a slow watcher. Beyond them, it drops the buffer and pulls the events later. */
  watchBufferBytes: 1 * MiB,
  /** The bytes of small events that the edge writes to a watcher at once, and the bytes that a pulled body counts for while it is read. */
  watchWriteBytes: 64 * 1024,
  watchPullBytes: MiB / 2,
  /** The characters of events that a WebSocket watch receives after the initial list, because its client may not be reading. */
  watchSocketBytes: 8 * MiB,
  /** The bytes of a log that one WebSocket receives, because its client may not be reading. */
  logSocketBytes: 16 * MiB,
  /** Bytes of a hibernated socket's attachment (the platform's limit). */
  socketAttachmentBytes: 16_384,
  /** The maximum size of a response of a webhook or an aggregated API, because an object holds several at once. */
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
  /** The characters of a program's arguments and variables together, and of each: Linux's `ARG_MAX` with the default stack, and `MAX_ARG_STRLEN`. */
  argumentCharacters: 2 * MiB,
  argumentStringCharacters: 128 * 1024,
  /** The bytes of all request bodies in memory: the announced length, or the bytes read so far of a body without one. */
  bodiesInFlightBytes: 32 * MiB,
  /** The `Retry-After` seconds of a response that refuses a request for a limit; upstream's value. */
  retryAfterSeconds: 1,
  /** The milliseconds for which a session counts as open after its last request: twice as long as a program runs ahead. */
  sessionLeaseMs: 30_000,
  /** The milliseconds after which a tunnel is closed, so that its client authenticates again. */
  tunnelMs: 3_600_000,
  /** The characters of all changes of files and all input in a sandbox's containers. */
  keptEditsCharacters: 32 * MiB,
  /**
   * The work, in microseconds, of computing the runs of a pod's containers once: for their status, and for their output. Each container has an
   * equal share. A command costs a unit, plus its data. Beyond the limit, the state is unknown.
   */
  containerWork: 20_000,
  containerPrintWork: 30_000,
  /** The Service ports in a container's environment variables; further Services can be found only by DNS. */
  serviceLinkPorts: 200,
  /** The work of computing other containers' changes to shared volumes: for the status, and for the output. */
  besideWork: 12_000,
  besidePrintWork: 18_000,
  /** The work of all probe commands that one sync of a pod runs; each has an equal share. */
  probeWork: 10_000,
  /**
   * The work of a pod that answers a container's request; the calling container is charged. For each request, a program's own server replays
   * the requests that it received before.
   */
  reachedWork: 20_000,
  /** The maximum size of a list that a container reads from the API. */
  containerListBytes: MiB,
  /** The maximum size of the kubelet's list of pods, which clients read through the API's proxy. */
  kubeletListBytes: 4 * MiB,
  /** The work that interrupting a runaway command restores to an interactive session: in total, and each time. */
  interruptedWork: 30_000,
  interruptedWorkEach: 10_000,
  /** The memory of a container's variables, words, pipes and files, if it has no memory limit or a larger one. */
  containerMemoryBytes: 4 * MiB,
  /** The same memory with the container's initial data: environment, arguments and mounted files. */
  containerHeldBytes: 8 * MiB,
  /** The maximum memory of one interpreter: Python, JavaScript or SQL. */
  interpreterMemoryBytes: 24 * MiB,
  /** The memory of all interpreters in this process, running and suspended. Suspended ones are evicted first. */
  interpretersMemoryBytes: 72 * MiB,
  ...timelineLimits,
  /** The memory of the shell itself. A lower memory limit counts as this one. */
  containerMemoryBytesMin: 256 * 1024,
  /** The bytes of previous versions of files that one run stores. Beyond them, the state is unknown. */
  containerHistoryBytes: 2 * MiB,
  /** The newest bytes of a container's output that a run keeps. */
  containerLogBytes: 4 * MiB,
  /** The nesting of a script's calls, substitutions and blocks. Past it, the shell's stack is exhausted. */
  shellDepth: 200,
  /** The nesting of background jobs. Past it, the shell cannot fork. */
  shellForks: 10,
  /** The maximum bytes of a path; the kernel's `PATH_MAX`. */
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
  /** The characters of objects that a comparison reads, and the pairs of lines that its text form compares in about a second. */
  diffReadCharacters: 256 * MiB,
  diffLinePairs: 200_000_000,
  /** The characters of a sandbox's export as YAML. */
  exportCharacters: 32 * MiB,
  /** The bytes of a state file. A call between edge and object can carry 32 MiB. */
  stateFileBytes: 24 * MiB,
  /**
   * The uncompressed bytes of a state file's index and metadata. A block ends when it has `stateBlockBytes`, and has at most
   * `stateBlockBytesMost`, because an object has up to 1.5 million characters.
   */
  stateIndexBytes: 32 * MiB,
  stateMetaBytes: 48 * MiB,
  stateBlockBytes: 64 * 1024,
  stateBlockBytesMost: 5 * MiB,
  /** The characters of objects that one turn reads and compresses for a state file, in about 25 ms. */
  statePieceCharacters: MiB,
  /** The changes that an undo reads to find the user's request and its first change, and the objects that the response names. */
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
  /** The maximum and default number of a sandbox's nodes. */
  sandboxNodes: 5_000,
  sandboxNodesDefault: 3,
  featureGates: 100,
  featureGateCharacters: 100,
  /** The characters of a range of IPv4 addresses. */
  cidrCharacters: 18,
  /** The number of nodes beyond which a sandbox has the pods of kube-system only on request, because two of them run on each node. */
  systemPodsNodes: 20,
  /** The entries of a sandbox's `images` (prefixes of names, and definitions), and the characters of a prefix. */
  imagePrefixes: 50,
  imagePrefixCharacters: 255,
  /** The base64 characters of a pull secret. The registries of a longer one are not read. */
  pullSecretCharacters: 64 * 1024,
  /** The characters of a sandbox's name, which becomes the name of a kubeconfig context. */
  sandboxNameCharacters: 63,
  sandboxDescriptionCharacters: 500,
  /** Labels of a sandbox, and characters of a key or a value. */
  labels: 32,
  labelCharacters: 63,
  /** The controllers that a sandbox's settings can name. */
  chosenControllers: 100,
  seedMax: 2 ** 31 - 1,
  /** The wait of a request whose controller is stopped. It ends when the controller runs again. */
  stoppedWaitMs: 3_600_000,
  ...waitLimits,
  /** The `Retry-After` seconds of a response while the tenant moves to another database. */
  tenantMovingRetrySeconds: 10,
  /**
   * The milliseconds for which an `Idempotency-Key` is stored. The last three are the keys that one statement deletes, the statements of a
   * scheduled run, and the characters of a stored response.
   */
  idempotencyMs: 24 * 3600 * 1000,
  /** The stored keys of one tenant. */
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
  /** The length of an API key's list of scopes; more than the number of scopes. */
  keyScopes: 100,
  /** The maximum lifetime of a key that expires, and the default and maximum lifetime of an invitation. */
  keyTtlSecondsMax: 5 * 365 * 24 * 3600,
  invitationTtlSeconds: 7 * 24 * 3600,
  invitationTtlSecondsMax: 30 * 24 * 3600,
  /** The lifetime of a session, and the time from the start of a sign-in to its completion. */
  sessionMs: 30 * 24 * 3600 * 1000,
  signInMs: 10 * 60_000,
  /** The milliseconds after which a request to GitHub is aborted. */
  oauthWaitMs: 10_000,
  /** The characters of a title, of an id, of a parameter of GitHub's redirect, and of a field of a passkey's response. */
  titleCharacters: 100,
  idCharacters: 100,
  oauthCharacters: 1024,
  passkeyCharacters: 16 * 1024,
  /** The characters of the browser's name that are stored with a session. */
  browserCharacters: 200,
  /** The minimum milliseconds between two updates of the last use of a key or a session. */
  lastUsedMs: 3_600_000,
  /** The keys, sessions and origins that an isolate caches, and the milliseconds for which it does. A revoked key is accepted for as long. */
  rememberedCallers: 1_000,
  rememberedCallerMs: 30_000,
  rememberedOriginMs: 60_000,
  /** The milliseconds for which an isolate caches a tenant's plan, and whether the tenant is suspended. */
  rememberedPlanMs: 10_000,
  /** The milliseconds that a cross-origin request to a sandbox waits for D1 to return the allowed origins. */
  originWaitMs: 2_000,
  /** The origins that a tenant allows, and the seconds for which a browser caches the response to a preflight request. */
  allowedOrigins: 20,
  preflightSeconds: 600,
  /** The entries of a tenant's audit log and their lifetime; the entries that a statement deletes, and the statements of a scheduled run. */
  controlAuditEntries: 10_000,
  controlAuditMs: 90 * 24 * 3600 * 1000,
  controlAuditPage: 1_000,
  controlAuditPages: 500,
  /** The tenants whose deletion one scheduled run continues, and the pages of sandboxes of each. */
  tenantsSwept: 20,
  tenantPages: 10,
  /** The default and maximum number of sandboxes on a page of the control API's list. */
  sandboxPage: 100,
  sandboxPageMax: 500,
  /** The YAML documents, including empty ones, of a sandbox's initial manifests. */
  manifestDocuments: 10_000,
  ...importLimits,
  /** The problems that a refusal of manifests lists, and the characters of each one's field and message. */
  manifestProblems: 50,
  manifestProblemCharacters: 1_000,
  /** The versions of a tenant's templates. */
  templates: 500,
  /** The numbers of deleted versions that stay reserved, and the days for which they do. */
  templateNumbers: 1_000,
  templateNumberDays: 60,
  /** The characters of a template's manifests, its nodes, users and incidents, and the characters of a short text. */
  templateCharacters: MiB,
  templateNodes: 100,
  templateUsers: 20,
  templateIncidents: 10,
  templateTextCharacters: 500,
  /** The milliseconds that the creation of a template waits for its workloads. Those that are not ready by then are saved as they are. */
  templateSettleMs: 10_000,
  /** The webhooks of a tenant, and the characters of a URL. */
  webhooks: 50,
  webhookUrlCharacters: 2_000,
  /**
   * The waiting deliveries of a tenant, the listed ones of each webhook, and the days that they are listed; the concurrent deliveries, and
   * the milliseconds of a response. The seconds between attempts, as in Standard Webhooks: a day in total.
   */
  waitingDeliveries: 1_000,
  listedDeliveries: 100,
  deliveryDays: 7,
  deliveriesAtOnce: 10,
  deliveryMs: 10_000,
  deliveryPauseSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000],
  deliveryErrorCharacters: 300,
  /** The milliseconds before a sandbox's expiry at which the event is sent, at most a sixth of its life. */
  expiringSoonMs: 600_000,
  /** The minimum milliseconds between two events about the same limit of a sandbox. */
  limitEventIntervalMs: 3_600_000,
  /** The sandboxes of a tenant, regardless of its plan, because the tenant's object holds them in memory. */
  tenantSandboxes: 50_000,
  /**
   * The minimum milliseconds between a sandbox's usage reports, and from a request to the first report. No request waits for one, and an
   * alarm sends an overdue report.
   */
  usageReportMs: 5_000,
  usageDelayMs: 1_000,
  /** The days for which usage is stored, the days that one query can span, and the rows of a response. */
  usageDays: 400,
  usageSpanDays: 92,
  usageRows: 10_000,
  /**
   * The limits of trials: the bits of the proof of work, the milliseconds to solve it, the sandboxes of one address within an hour, and the
   * seconds that one lives.
   */
  trialDifficulty: 18,
  trialChallengeMs: 600_000,
  trialsOfAddress: 3,
  trialTtlSeconds: 3600,
  /** The milliseconds after which a request is logged as slow: one of the control API, or one of a sandbox that holds no connection open. */
  slowRequestMs: 2_000,
  /** The tenants, or sandboxes of a tenant, on a page of the operators' API; and the tenants whose counts one scheduled run compares. */
  tenantPage: 100,
  reconciledTenants: 200,
  /** The number of sandboxes that one request or run informs of changed limits, of concurrent calls, and of tenants in one run. */
  informedSandboxes: 300,
  informedAtOnce: 20,
  informedTenants: 20,
  /** The default and maximum lifetime of a sandbox. */
  sandboxTtlSeconds: 24 * 3600,
  sandboxTtlSecondsMax: 30 * 24 * 3600,
  /** The minimum lifetime of a sandbox. A shorter-lived one would expire before its kubeconfig arrives. */
  sandboxTtlSecondsMin: 10,
  /**
   * The milliseconds of a request's lease on its sandbox and its `Idempotency-Key`; the interval of renewals; and the minimum interval
   * between comparisons of a tenant's counts with the directory.
   */
  requestLeaseMs: 10_000,
  requestRenewMs: 2_500,
  recountMs: 10_000,
  /** The milliseconds after which an unfinished creation of a sandbox counts as interrupted. */
  sandboxMakingMs: 10 * 60_000,
  /** The sandboxes whose deletion one scheduled run finishes; each takes a call of the sandbox's object. */
  sandboxesSwept: 200,
  tokenTtlSecondsMin: 1,
  /** The unexpired tokens of a sandbox, including the administrator's. */
  sandboxTokens: 500,
  /** The audit events that a sandbox stores, and their characters in total. */
  auditEvents: 500,
  auditBytes: 1_000_000,
  /** The characters of a request's `Audit-Id`, which its client can choose, that are stored with each of its changes. */
  auditIdCharacters: 128,
  /** Groups of one token, and characters of a user's or group's name. */
  tokenGroups: 50,
  userNameCharacters: 253,
  /** The verified sandbox ids, and the verified tokens, that the edge caches; and the characters of a cached token. */
  keptAdmissions: 1_000,
  keptTokenCharacters: 4 * 1024,
  /** The service accounts' tokens whose verified signatures a cluster caches. */
  keptSignatures: 200,
  /** The characters of a client certificate as base64. Proxies forward no longer ones. */
  clientCertificateCharacters: 16 * 1024,
  /** The OpenID Connect issuers of a sandbox, the audiences and rules of each, and the characters of a text and of the certificate authority. */
  sandboxIssuers: 10,
  issuerAudiences: 20,
  issuerRules: 20,
  issuerTextCharacters: 1024,
  issuerAuthorityCharacters: 32 * 1024,
  /** The origins in one view token, which are sent in a header. */
  tokenFrameOrigins: 20,
  /** Seconds a watch without `timeoutSeconds` lasts: a random time between these, as upstream's `MinRequestTimeout`. */
  watchSecondsMin: 30 * 60,
  watchSecondsMax: 60 * 60,
  /** The maximum seconds of a watch, regardless of `timeoutSeconds`, because timers hold 31 bits of milliseconds. */
  watchSecondsCeiling: 24 * 3600,
  /** The seconds between the bookmarks of a watch that requested them. */
  watchBookmarkSeconds: 60,
  ...lessonLimits,
  /** The instructions of a regular expression of a client, a schema or a script. Compiling so many takes about 40 ms and 10 MB. */
  patternInstructions: 8_000,
  /** The work of compiling a constant pattern of a CEL expression. */
  patternUnits: 50_000,
  /** The instructions of all cached patterns. Each takes about a kilobyte, with its part of the automaton. */
  keptPatternInstructions: 20_000,
  /** The work, in microseconds, of matching one request to a simulated server with patterns. */
  requestPatternUnits: 20_000,
  /** The groups of a regular expression. During a match, each instruction can hold the positions of all groups, at most 13 MB. */
  patternGroups: 100,
  /** The bytes of the cached states of a regular expression's automaton. Beyond them, the states are dropped. */
  patternStatesBytes: 64 * 1024,
} as const;
