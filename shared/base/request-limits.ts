// The limits of work in one turn, in microseconds (the unit of `shared/k8s/bounds/work.ts`); a part of limits.ts.

export const workLimits = {
  /** The work of a typical reconcile with four writes. A drain counts a larger reconcile as several. */
  typicalReconcileWork: 1_200,
  /** Work after which a reconcile is stopped before its next write, and run again in a later turn: 60 writes. */
  maxReconcileWork: 18_000,
  /** The work after which a reconcile, or the mapping of a change to requests, fails if it reads more: a second. */
  maxReadingWork: 900_000,
  /** The work of the moves of a pod in one sync of its kubelet. The moves of hundreds of containers take several syncs. */
  podSyncWork: 20_000,
  /** The work of runs, probes and hooks after which the sync of a pod continues in another turn: that of one container with its probes. */
  syncPartWork: 30_000,
  /** The deleted pods whose ends are kept from the sync that computes them to the one that writes them. */
  stopPlans: 10_000,
  /** The number of pods of a cluster whose syncs continue in another turn, and the interval at which others try again. */
  unfinishedSyncs: 8,
  syncWaitMs: 250,
  /**
   * The work of one turn or reconcile for schemas, defaults, patterns, and expressions. Upstream allows 10,000,000 units of CEL, a second,
   * for the rules of one object alone.
   */
  requestWork: 40_000,
  /**
   * The work of the cells of one row of a Table, of one row in a watch event, and of all rows of one request. Past it, cells of custom
   * columns are null.
   */
  rowWork: 30_000,
  eventRowWork: 2_000,
  tableWork: 2_000_000,
  /** The work of one request after which other requests run first. */
  unpausedWork: 10_000,
} as const;

const MiB = 1024 * 1024;

/** The limits of an import that arrives as a body. */
export const importLimits = {
  /**
   * The limits of an import: decompressed bytes, objects, and characters of one object with its managed fields. Then the milliseconds of
   * the request, and without a byte; the characters of the parameter `settings`.
   */
  importBytes: 64 * MiB,
  importObjects: 100_000,
  importedObjectCharacters: 3 * MiB,
  importMs: 480_000,
  importSilenceMs: 30_000,
  importSettingsCharacters: 8 * 1024,
  /** The characters that the edge splits at once, and the characters and objects of one call to the cluster's object. */
  importSplitCharacters: 256 * 1024,
  importBatchCharacters: 2 * MiB,
  importBatchObjects: 2_000,
  /** The characters that one turn parses, and the objects that one turn and one call write, most of them twice. */
  importReadCharacters: 64 * 1024,
  importedPerTurn: 25,
  importedPerCall: 1_000,
  /** The objects of an import that an answer names as not imported. */
  notImported: 2_000,
} as const;

/** The limits of the wait for the workloads of a new sandbox. */
export const waitLimits = {
  /** The default and maximum of seconds that a creation waits for workloads; the listed workloads, and the characters of a reason. */
  waitSeconds: 60,
  waitSecondsMax: 300,
  notReady: 50,
  notReadyCharacters: 500,
  /** The milliseconds of one call that waits for workloads, and between two checks: after a burst of changes, and whatever changes. */
  readyCallMs: 20_000,
  readyCheckMs: { least: 25, most: 2_000 },
} as const;

/** Bounds of failed authentication, and of the move from one secret to another. */
export const accessLimits = {
  /** The failed authentications of one address, or of one prefix of a key, that are answered in a burst; one more each `failureLeakMs`. */
  failuresBurst: 20,
  failureLeakMs: 2_000,
  /** The counted failures. A client that stops guessing waits at most ten seconds, which automatic retries tolerate. */
  failuresCounted: 25,
  /** The addresses and prefixes in an isolate, about 100 bytes each. */
  keptFailures: 10_000,
  /** The characters of a key's prefix: enough to distinguish keys, too few to be useful from a memory dump. */
  failurePrefixCharacters: 4,
  failureKeyCharacters: 64,
  /** The window of the platform's count for all isolates of a location: see `FAILURES` in wrangler.toml. */
  sharedFailuresSeconds: 60,
  /** The items that one request moves to another secret: each wakes a cluster, decrypts a text, or reads a file. */
  movedSandboxes: 20,
  movedToolKeys: 50,
  movedFiles: 5,
  /** The milliseconds for which an isolate caches whether data was ever moved. */
  rememberedMoveMs: 60_000,
};

/** Bounds of single sign-on, SCIM, invitations by e-mail, and imports by the operator. */
export const identityLimits = {
  /** The characters of an issuer or another address, of a client id or secret, and of a name of SCIM or a claim. */
  urlCharacters: 1_000,
  clientCharacters: 500,
  nameCharacters: 256,
  emailCharacters: 254,
  /** The domains of an organisation's addresses, and the groups that have a role. */
  domains: 20,
  groupRoles: 50,
  /** The issuers whose metadata an isolate caches, and the milliseconds for which it does, also after a failure. */
  rememberedIssuers: 200,
  rememberedIssuerMs: 10 * 60_000,
  failedIssuerMs: 5_000,
  /** The characters of an id token, its maximum age in seconds, and the difference of clocks in seconds. */
  idTokenCharacters: 32 * 1024,
  idTokenSeconds: 600,
  clockSeconds: 60,
  /** The entries of a page of SCIM, the operations of a patch, the groups of an organisation, and the values of an attribute. */
  scimPage: 100,
  scimOperations: 100,
  scimGroups: 200,
  scimValues: 500,
  /** The characters of the template of an e-mail, and the pauses before further attempts. The platform ends work 30 s after the response. */
  mailTemplateCharacters: 16 * 1024,
  mailPausesMs: [2_000],
  /** The tenants, members and sandboxes of one import by the operator. */
  importTenants: 100,
  importMembers: 500,
  importSandboxes: 50,
} as const;
