// Every bound of the service, each with its unit and its reason.

import { lessonLimits } from "./lesson-limits.ts";
import { shareLimits, timelineLimits, timeLimits } from "./share-limits.ts";
import { workLimits } from "./request-limits.ts";

const MiB = 1024 * 1024;

export const limits = {
  /** Bytes of a local run's disk below which nothing is written any more: reading needs a little room. Looked at so often (milliseconds). */
  roomBytes: 16 * MiB,
  roomMs: 500,
  /** Bytes of a request body; upstream's `MaxRequestBodyBytes`. Past it: 413. */
  requestBodyBytes: 3 * MiB,
  /** Bytes of a body past which others have their turn between its reading and its writing. */
  largeBodyBytes: MiB / 8,
  /** Work of reading a body past which it waits for a turn of its own. */
  readingTurnWork: 2_500,
  /** Nesting of a body in JSON or YAML: upstream's bound is 10,000, which the platform's stack does not bear. Past it: 400. */
  jsonDepth: 1000,
  /** Nodes of a document in YAML, aliases followed: reading so many takes 50 ms. Past it: 400. */
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
  /**
   * Entries of all maps and lists of a stored object, and of its long ones, which have more than so many: a patch of a map of 10,000
   * takes a turn of some 45 ms. The largest definitions of custom resources in use have some 40,000, in short maps. Past it: 413.
   */
  objectEntries: 60_000,
  objectLongEntries: 10_000,
  longEntries: 1_000,
  /** Objects on one page of a list as it is read from SQLite, whatever the client's `limit`. */
  listPageObjects: 500,
  /** Bytes of stored text at which such a page ends: ten clients that list at once hold ten of them. */
  listPageBytes: MiB / 2,
  /** Bytes of stored text that a list with a limit reads at once; of a longer one, what comes after it is told at its end. */
  listAtOnceBytes: 2 * MiB,
  /** Bytes of parsed objects (counted as their JSON text) that the store keeps in memory. */
  objectCacheBytes: 8 * MiB,
  /** Bytes of objects in protobuf that are kept for the next list, all together and each. */
  keptEncodingBytes: 4 * MiB,
  keptEncodingBytesEach: 16 * 1024,
  /** Bytes (as JSON) of the definitions of custom resources whose schemas are kept ready for use. */
  compiledDefinitionsBytes: 8 * MiB,
  /**
   * The change log as watches, lists and continue tokens may read it: revisions, bytes of what was replaced, and milliseconds, as upstream
   * compacts every five minutes. It is measured at marks, each so far from the one before it, and reaches back at most one further.
   */
  changeLogRevisions: 50_000,
  changeLogBytes: 64 * MiB,
  changeLogMs: 5 * 60_000,
  changeLogMarkRevisions: 1000,
  changeLogMarkBytes: MiB,
  changeLogMarkMs: 60_000,
  /** Writes of the log that tell what was current at a moment of the past, and how many of them stay in memory while nothing is done. */
  pastWrites: 10_000,
  restingPastWrites: 500,
  /** What tells history is kept until it is so old, or so many bytes were replaced since; its marks are further apart. */
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
  /** Objects written in one turn of a request that writes many: then others have theirs. */
  writesPerTurn: 50,
  /** Usual reconciles in one turn that answers a request, some 36 ms: what is left runs on the alarm. */
  drainPerRequest: 30,
  /** The same where a sandbox is made: a fresh cluster's, which are small, all take some 15 ms. */
  drainPerCreation: 100,
  /**
   * Milliseconds without a user's write after which controllers act on what was written, as a sandbox has it unless it says otherwise,
   * and at most; so many times as long after the first of a burst they act in any case.
   */
  controllerDelayMs: 10,
  controllerDelayMsMax: 1000,
  burstDelays: 5,
  /** Milliseconds after which an alarm comes for what controllers have not acted on yet, should the object die before it does. */
  burstAlarmMs: 1000,
  /**
   * Milliseconds after which a pod is admitted again whose namespace has no default account yet: upstream asks ten times, 100 to 200 ms
   * apart.
   */
  accountWaitsMs: [10, 20, 40, 80, 160, 320, 640],
  /** Reconciles in one alarm run, so that requests are answered in between. */
  drainPerAlarm: 20,
  /** Milliseconds after which a drain ends before its next reconcile, where the clock runs within a turn. */
  drainMs: 40,
  ...shareLimits,
  ...timeLimits,
  /** Requests that one alarm run does carefully, one at a time: it has a bound of CPU. */
  carefulPerAlarm: 100,
  /** Bytes (estimated) of what was worked out of containers for readers and is kept; one that is larger is kept alone. */
  keptRunBytes: 16 * MiB,
  /** Bytes (estimated) of runs that wait where a reader left them, of a cluster. */
  suspendedRunBytes: 8 * MiB,
  /** Characters of a log that are rendered in one turn: a reader takes them before there are more. */
  logPieceCharacters: 64 * 1024,
  /** Milliseconds after which a reconcile that asked outside asks again: its question was lost with the object. */
  answerWaitMs: 60_000,
  /** Milliseconds that what killed the process is set aside for, the first time and every time after. */
  setAsideFirstMs: 60_000,
  setAsideMs: 3_600_000,
  /** Requests, and containers, of a sandbox that are known to have killed it; the longest known are forgotten. */
  setAsideMost: 500,
  /** Bytes (characters) of one frame to a live watch, unless a single event is longer: messages hold 32 MiB. */
  watchFrameBytes: 256 * 1024,
  /**
   * Characters that one turn sends to all live watches, and what it costs to render them (four times as much), counted together: some
   * 50 ms. Whoever would have come after that pulls it.
   */
  watchFlushCharacters: 16 * MiB,
  /** Revisions after which a watch that nothing concerned is told how far the cluster is, so that its bookmarks stay fresh. */
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
  /** Bytes of custom resources that a webhook has converted, kept for who asks for them next. */
  convertedBytes: 8 * MiB,
  /**
   * What one sandbox may hold and do, unless it was told otherwise: see `SandboxLimits`. An object of the platform has 128 MB of memory
   * and 10 GB of storage.
   */
  sandbox: {
    /** An index over so many takes about 20 MB; upstream is tested with 150,000 pods. */
    objects: 100_000,
    /** What Kubernetes is made for; as many as a sandbox may begin with. */
    nodes: 5_000,
    /** etcd's default quota, `--quota-backend-bytes`. */
    bytes: 2048 * MiB,
    /** One change of what all of them watch is sent to all in one turn. */
    watches: 1_000,
    /** Each holds a page, or as much again of what was made of it: 100 MB for those who all stop reading. */
    reads: 100,
    sessions: 200,
    tunnels: 64,
    /** More than one object answers, so that it only stops what nobody would wait for. The platform says 1,000 for one object. */
    requestsPerSecond: 5_000,
    /** Upstream's `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
    requestsInFlight: 600,
    webhookCalls: 100,
  },
  /** Of a limit of objects or bytes, the part beyond it that is left to those who clean up, and to the cluster's own notes. */
  reserve: 1 / 16,
  /** Characters of all flow schemas as JSON; past them no request is told which it falls under: each is compared with all. */
  flowSchemaCharacters: 256 * 1024,
  /** Characters of a program's words and variables, of all of them and of each: Linux's `ARG_MAX` with the usual stack, and `MAX_ARG_STRLEN`. */
  argumentCharacters: 2 * MiB,
  argumentStringCharacters: 128 * 1024,
  /** Bytes of request bodies that are held at once: what is announced, and what is read of those that are not. */
  bodiesInFlightBytes: 32 * MiB,
  /** Seconds after which a client that was refused for a limit is told to come again; upstream's. */
  retryAfterSeconds: 1,
  /** Milliseconds that a session counts as open after it last asked: twice as long as a program is followed ahead. */
  sessionLeaseMs: 30_000,
  /** Milliseconds after which a tunnel is asked nothing any more: whoever holds it shows who it is again, by a new one. */
  tunnelMs: 3_600_000,
  /** Characters of what people changed in a sandbox's containers and typed to them, all together. */
  keptEditsCharacters: 32 * MiB,
  /**
   * Work, in units of about a microsecond, that following the containers of a pod once may cost: to see how they fare, and for all
   * that they print. Each has an equal share. A command costs a unit, and whatever it touches more. What is done after that is not known.
   */
  containerWork: 20_000,
  containerPrintWork: 30_000,
  /** Work, in microseconds, of the moves of a pod in one look of its kubelet: those of hundreds of containers take several looks. */
  podLookWork: 20_000,
  /** Ports of Services that a container is told of by variables; Services past it are found by their names alone. */
  serviceLinkPorts: 200,
  /** The same for what the others do to volumes that several of them share. */
  besideWork: 30_000,
  besidePrintWork: 45_000,
  /** Work of all commands that one look at a pod has its probes run; each has an equal share. */
  probeWork: 10_000,
  /** The same of a pod that a container asks over the network, and pays for: a program's server goes through the visits it remembers. */
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
  /** Those with what it finds at its start: its environment, its arguments and the files that are mounted. */
  containerHeldBytes: 8 * MiB,
  /** Bytes of memory of an interpreter of another language, all of it. */
  interpreterMemoryBytes: 24 * MiB,
  /** Of all that are in the middle of something in this process: a program that starts another, or asks one elsewhere, waits for it. */
  interpretersMemoryBytes: 72 * MiB,
  /** Visits of a program's own server that its run goes through again, the newest, all containers of a pod together. */
  replayedVisits: 60,
  ...timelineLimits,
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
  /** Snapshots of a tenant, days that one is kept, and characters of its note. */
  snapshots: 100,
  snapshotDays: 30,
  snapshotNoteCharacters: 1000,
  /** Files of snapshots on one page of what is looked through for those that nobody knows (D1 binds 100 values), and pages of one run. */
  filePage: 90,
  filePages: 50,
  /** Of a comparison: objects, fields of one of them, and characters in all; past them it is cut. */
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
   * Such a file, uncompressed: bytes of its index, and of what it has beside the objects; bytes of text at which a block of objects ends,
   * and of one at most: an object has 1.5 million characters.
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
   * Of the history that the control API tells: entries of a page, writes that one page looks through, characters of their fields in all,
   * fields of one change, characters of one field's values, and of an object's name.
   */
  changesPage: 50,
  changesRead: 20_000,
  changesCharacters: MiB,
  changedFields: 30,
  changedValueCharacters: 2000,
  changedNameCharacters: 300,
  /**
   * What a process holds of the files with which its sandboxes began: objects in their indexes (of some 200 bytes each), characters of their
   * blocks, and for each sandbox bytes of objects in which its own certificates stand.
   */
  baseIndexObjects: 200_000,
  baseBlockCharacters: 4 * MiB,
  baseOwnBytes: MiB,
  /** Nodes of a sandbox. */
  sandboxNodes: 5_000,
  sandboxNodesDefault: 3,
  featureGates: 100,
  featureGateCharacters: 100,
  /** Of a range of IPv4 addresses. */
  cidrCharacters: 18,
  /** With more nodes a sandbox has the pods of kube-system only where they are asked for: two of them are on each node. */
  systemPodsNodes: 20,
  /** Prefixes of image names and images that a sandbox is told to be there, and characters of a prefix. */
  imagePrefixes: 50,
  imagePrefixCharacters: 255,
  /** Characters of a pull secret, in base64, that is read for its registries: past it they are not known. */
  pullSecretCharacters: 64 * 1024,
  /** Characters of a sandbox's name: it becomes a context's name. */
  sandboxNameCharacters: 63,
  /** Labels of a sandbox, and characters of a key or a value. */
  labels: 32,
  labelCharacters: 63,
  /** Names of controllers that a sandbox may be given. */
  chosenControllers: 100,
  /** Seconds that the making of a sandbox waits for its workloads, and at most; workloads that are told of, and characters of a reason. */
  waitSeconds: 60,
  waitSecondsMax: 300,
  notReady: 50,
  notReadyCharacters: 500,
  /** After so long a tenant that moves to another database may have moved. */
  tenantMovingRetrySeconds: 10,
  /**
   * Milliseconds for which an `Idempotency-Key` is remembered, those that are forgotten at once and how often in one run, and characters
   * of the answer that is kept.
   */
  idempotencyMs: 24 * 3600 * 1000,
  /** Of one tenant within that time. */
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
  /** Milliseconds after which GitHub is not waited for any longer. */
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
  /** Entries of a tenant's audit log, and milliseconds that one is kept; those that are forgotten at once and how often in one run. */
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
  /** Of deleted ones, numbers that are kept so that no other version has them, and days. */
  templateNumbers: 1_000,
  templateNumberDays: 60,
  templateCharacters: MiB,
  templateNodes: 100,
  templateUsers: 20,
  templateIncidents: 10,
  templateTextCharacters: 500,
  /** Milliseconds that the making of a template waits for its workloads: what does not run by then begins as it is. */
  templateSettleMs: 10_000,
  /** Addresses that events of a tenant are sent to, and characters of one. */
  webhooks: 50,
  webhookUrlCharacters: 2_000,
  /**
   * Deliveries of a tenant that wait, those told of each webhook, and days that they are told; what is sent at once, and milliseconds that
   * an answer may take. Seconds between one attempt and the next, as Standard Webhooks has them: a day in all.
   */
  waitingDeliveries: 1_000,
  toldDeliveries: 100,
  deliveryDays: 7,
  deliveriesAtOnce: 10,
  deliveryMs: 10_000,
  deliveryPauseSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000],
  deliveryErrorCharacters: 300,
  /** Milliseconds before the end of a sandbox at which that is told; of one that lives less than six times as long, a sixth of its life. */
  expiringSoonMs: 600_000,
  /** Milliseconds in which one limit of one sandbox is told of once. */
  limitToldMs: 3_600_000,
  /** Sandboxes that a tenant's object counts, whatever the plan says: it holds them in memory. */
  tenantSandboxes: 50_000,
  /**
   * Milliseconds between a sandbox's reports of what it used, at least, and from a request to its report where there was none before:
   * nothing waits for one, and an alarm sends what is as old.
   */
  usageReportMs: 5_000,
  usageDelayMs: 1_000,
  /** Days for which usage is kept, that one question may span, and rows of one answer. */
  usageDays: 400,
  usageSpanDays: 92,
  usageRows: 10_000,
  /** Of trials: bits of work, milliseconds to do it in, sandboxes of one address within an hour, and seconds that one lives. */
  trialDifficulty: 18,
  trialChallengeMs: 600_000,
  trialsOfAddress: 3,
  trialTtlSeconds: 3600,
  /** Milliseconds after which a request of the control API, or one of a sandbox that holds nothing open, is told of as slow. */
  slowRequestMs: 2_000,
  /** Tenants, and sandboxes of one, on a page of what an operator asks; tenants whose counts one scheduled run looks at. */
  tenantPage: 100,
  reconciledTenants: 200,
  /** Sandboxes that are told what their tenant may do by one request or run, how many at once, and tenants that one run looks at. */
  toldSandboxes: 300,
  toldAtOnce: 20,
  toldTenants: 20,
  /** Seconds a sandbox lives by default, and at most. */
  sandboxTtlSeconds: 24 * 3600,
  sandboxTtlSecondsMax: 30 * 24 * 3600,
  /** Seconds a sandbox lives at least: shorter ones would be gone before their kubeconfig arrives. */
  sandboxTtlSecondsMin: 10,
  /**
   * Milliseconds for which a request has the sandbox that it makes, and its `Idempotency-Key`; how often it renews that while it lives; and
   * how often, at most, refused creations have the counts of a tenant compared with the directory.
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
