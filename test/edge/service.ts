// The control API over a directory in memory and clusters that record their calls.
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { ClusterLessonRpc, GradeQuestion, Graded, Performed } from "../../shared/contract/cluster/lesson.ts";
import type { Action } from "../../shared/lesson/lesson.ts";
import type { ClusterClockRpc, PatchClock, SetClock } from "../../shared/contract/cluster/clock.ts";
import type { ClusterFaultsRpc } from "../../shared/contract/cluster/faults.ts";
import type { ClusterPastRpc } from "../../shared/contract/cluster/past.ts";
import type { ClusterRecordingRpc } from "../../shared/contract/cluster/recording.ts";
import type { ClusterLifeRpc, SetNodes } from "../../shared/contract/cluster/life.ts";
import type { NotReady } from "../../shared/contract/sandbox.ts";
import type { Files } from "../../worker/edge/files.ts";
import { stateFile } from "../state/files.ts";
import type { ObjectCopyRpc } from "../../shared/contract/hosted/object-copy.ts";
import type { ClusterStateRpc } from "../../shared/contract/cluster-state.ts";
import type {
  ClusterRpc,
  ImportPart,
  InitializeOptions,
  NewToken,
  RenewedTokens,
} from "../../shared/contract/cluster-object.ts";
import type { ManifestPiece } from "../../shared/schema/yaml/pieces/piece.ts";
import { limits } from "../../shared/base/limits.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import type { ControlApiServer } from "../../worker/edge/control-api/server.ts";
import { databaseCopy, type RawDatabase, type RawStatement } from "../../worker/edge/db/copy.ts";
import { allowedOrigins } from "../../worker/edge/cors.ts";
import type { Directories } from "../../worker/edge/db/directories.ts";
import type { GivenLimits } from "../../shared/contract/sandbox-limits.ts";
import { type CachedPlans, cachePlans } from "../../worker/edge/control-api/tenancy/plans.ts";
import type { Caller } from "../../worker/edge/control-api/access/caller.ts";
import { newThrottle } from "../../worker/edge/service/throttle.ts";
import { newExpiringCache } from "../../worker/edge/expiring-cache.ts";
import { expectDocumented } from "./documented.ts";
import { memoryDirectory } from "./memory-directory.ts";
import { memoryTenants } from "./memory-tenants.ts";

export const secret = "a secret of a test, 32 characters or more";
export const startMs = Date.UTC(2026, 0, 1);

export interface FakeCluster
  extends ClusterRpc,
    ClusterStateRpc,
    ClusterLifeRpc,
    ClusterLessonRpc,
    ClusterClockRpc,
    ClusterPastRpc,
    ClusterRecordingRpc,
    ClusterFaultsRpc,
    ObjectCopyRpc {
  initializeOptions?: InitializeOptions;
  /** The batches of an import that it received, and its refusal of one. */
  received: (readonly ManifestPiece[])[];
  importRefusal?: Extract<ImportPart, { ok: false }>;
  /** The expiry that the cluster received. */
  endsAtMs?: number;
  /** The reasons why the cluster is not ready, one list for each call, which takes its time. The last list is repeated. */
  lacks: NotReady[][];
  tokens: NewToken[];
  /** The tokens that replaced its tokens. */
  renewed: RenewedTokens[];
  destroyed: boolean;
  /** The reason of the suspension; empty if the sandbox is not suspended. */
  suspended: string;
  /** The reason of a pause; empty if the sandbox is not paused. */
  paused: string;
  /** The limits that the cluster received last, after its creation. */
  limits?: GivenLimits;
  /** Its states by revision. Absent if it has no state of that revision. */
  states: Map<number | "now", Uint8Array<ArrayBuffer>>;
  /** The grading questions that it received, and its answers. */
  graded: GradeQuestion[];
  verdict: (question: GradeQuestion) => Graded;
  /** The actions that it received, and its answers. */
  performed: Action[];
  refuses: Performed | undefined;
  /** The requests to the sandbox's clock, and its answers. */
  clockChanges: PatchClock[];
  clockRefusal?: Extract<SetClock, { ok: false }>;
  /** The changes of its number of nodes, from one to another, and its refusal. */
  scaled: (readonly [number, number])[];
  upgraded: KubernetesVersion[];
  versionRefusal?: Extract<SetNodes, { ok: false }>;
  nodesRefusal?: Extract<SetNodes, { ok: false }>;
  /** The states that it was restored from. */
  restored: ({ readonly file: Uint8Array } | { readonly revision: number })[];
}

const clockFacts = { now: new Date(startMs).toISOString(), state: "running", speed: 1 } as const;

export async function newService() {
  const { auditing, repeats, addTenant, database, db, ...directories } = memoryDirectory();
  const files = memoryFiles(() => time.nowMs);
  const clusters = new Map<string, FakeCluster>();
  const time = { nowMs: startMs };
  const errors: unknown[] = [];
  const notes: string[] = [];
  const tenants = memoryTenants(secret, () => time.nowMs);
  const requests: { id: string; path: string; init: RequestInit }[] = [];
  const laters: Promise<unknown>[] = [];
  /** Waits for the work that continues after the response. */
  const settled = async () => {
    while (laters.length > 0) await laters.pop();
  };
  const knownPlans: CachedPlans = newExpiringCache(limits.rememberedCallers, limits.rememberedPlanMs);
  const remembering = <D extends Directories>(all: D): D => {
    return { ...all, plans: cachePlans(all.plans, knownPlans, () => time.nowMs) };
  };
  const ownDirectories = remembering(directories);
  const service: { -readonly [K in keyof ControlApiServer]: ControlApiServer[K] } = {
    ...ownDirectories,
    auditing: (context) => replaced(remembering(auditing(context)), ownDirectories, service),
    callerCache: newExpiringCache<Caller>(limits.rememberedCallers, limits.rememberedCallerMs),
    originCache: allowedOrigins({
      tenants: directories.tenants,
      cache: newExpiringCache(limits.rememberedCallers, limits.rememberedOriginMs),
      nowMs: () => time.nowMs,
    }),
    throttle: newThrottle(),
    statusCache: newExpiringCache(1, 10_000),
    probeName: "status",
    databases: [databaseCopy(rawDatabase(database))],
    readCounts: async () => ({}),
    signIn: { signUp: false },
    later: (work) => void laters.push(work().catch((error: unknown) => errors.push(error))),
    repeats,
    plan: "unmetered",
    operatorKey: keys.operator,
    asksPrivate: false,
    tenant: tenants.tenant,
    followTenant: async (id) => tenants.follow(id),
    askCluster: async (id, path, init) => {
      requests.push({ id, path, init });
      const isThere = !path.includes("missing");
      const status = isThere ? 200 : 404;
      return Response.json({ kind: "Status", message: isThere ? "" : "it is not there" }, { status });
    },
    wait: async (ms) => {
      time.nowMs += ms;
    },
    files,
    secret,
    server: "https://127.0.0.1:8443",
    console: "http://localhost:8787",
    ca: "the authority",
    cluster: (id) => clusters.get(id) ?? fakeCluster(clusters, id, time),
    newSandboxId: (facts) => newSandboxId(secret, facts),
    nowMs: () => time.nowMs,
    report: (error) => errors.push(error),
    note: (event, why) => notes.push(`${event}: ${why}`),
  };
  addTenant("ada", await hashOf(keys.ada));
  addTenant("bob", await hashOf(keys.bob));
  const send = async (method: string, path: string, options: SendOptions = {}) => {
    const { key = options.cookie ? "" : keys.ada, cookie, body, headers: further } = options;
    // As a browser sends it from a page of the service's own.
    const headers = { ...(cookie ? { cookie, "sec-fetch-site": "same-origin" } : {}), ...further };
    const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    // Bytes of this process, never of shared memory.
    const text = isPlain ? (body as string | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body);
    const type: Record<string, string> = text === undefined ? {} : { "content-type": "application/json" };
    const request = new Request(`http://localhost:8787${path}`, {
      method,
      headers: { ...type, ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
      body: text ?? null,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const answer = await controlApiApp.fetch(request, { controlApi: service });
    await expectDocumented(method, path, answer);
    return answer;
  };
  return { service, clusters, time, errors, notes, send, files, database, db, settled, tenants, asked: requests };
}

/** Returns a database in memory with the methods of D1. */
function rawDatabase(database: DatabaseSync): RawDatabase {
  interface Bound extends RawStatement {
    readonly sql: string;
    readonly values: readonly SQLInputValue[];
  }
  const bound = (sql: string, values: readonly SQLInputValue[]): Bound => ({
    sql,
    values,
    bind: (...bindings) => bound(sql, bindings as SQLInputValue[]),
  });
  return {
    prepare: (sql) => bound(sql, []),
    batch: async (statements) => {
      database.exec("BEGIN");
      try {
        const results = (statements as Bound[]).map(({ sql, values }) => database.prepare(sql).all(...values));
        database.exec("COMMIT");
        return results.map((rows) => ({ results: rows, meta: { size_after: 4096 } }));
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

/** Returns directories in which replaced methods also apply to requests with audit notes. */
function replaced(fresh: Directories, original: Directories, current: Directories): Directories {
  const merged = (original: object, before: object, now: object) =>
    Object.fromEntries(
      Object.entries(original).map(([name, method]) => {
        const [was, is] = [before, now].map((all) => (all as Record<string, unknown>)[name]);
        return [name, is === was ? (method as unknown) : is];
      }),
    );
  const names = Object.keys(fresh) as (keyof Directories)[];
  const all = names.map((name) => [name, merged(fresh[name], original[name], current[name])]);
  return Object.fromEntries(all);
}

export interface MemoryFiles extends Files {
  readonly stored: Map<string, { bytes: Uint8Array<ArrayBuffer>; storedAtMs: number }>;
}

function memoryFiles(nowMs: () => number): MemoryFiles {
  const stored: MemoryFiles["stored"] = new Map();
  return {
    stored,
    put: async (key, bytes) => void stored.set(key, { bytes: new Uint8Array(bytes), storedAtMs: nowMs() }),
    get: async (key) => stored.get(key)?.bytes,
    change: async (key, to) => {
      const storedFile = stored.get(key);
      const next = storedFile && (await to(storedFile.bytes));
      if (!next || stored.get(key) !== storedFile) return false;
      stored.set(key, { bytes: new Uint8Array(next), storedAtMs: nowMs() });
      return true;
    },
    remove: async (key) => void stored.delete(key),
    list: async (limit, cursor = "", prefix = "") => {
      const after = [...stored]
        .filter(([key]) => key > cursor && key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1));
      const page = after.slice(0, limit).map(([key, { storedAtMs }]) => ({ key, storedAtMs }));
      const last = page.at(-1);
      return { files: page, ...(last && after.length > limit ? { cursor: last.key } : {}) };
    },
  };
}

export interface SendOptions {
  /** Empty: no key. */
  key?: string;
  /** A session's, in place of a key. */
  cookie?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Disconnects the client. */
  signal?: AbortSignal;
}

export const keys = {
  ada: "sbk_adaadaadaadaadaadaada",
  bob: "sbk_bobbobbobbobbobbobbob",
  operator: "sbo_operatoroperatoroperator",
};

function fakeCluster(clusters: Map<string, FakeCluster>, id: string, time: { nowMs: number }): FakeCluster {
  let continued = 0;
  const cluster: FakeCluster = {
    tokens: [],
    destroyed: false,
    suspended: "",
    paused: "",
    setStanding: async ({ suspended, paused = cluster.paused, limits: newLimits }) => {
      cluster.suspended = suspended;
      cluster.paused = paused;
      cluster.limits = newLimits;
    },
    health: async () => {
      if (!cluster.initializeOptions || cluster.destroyed) return undefined;
      const numbers = { revision: 1, objects: 2, databaseBytes: 3, watches: 4, queued: 5, notReady: 6 };
      return { ...numbers, expiresAt: new Date(startMs).toISOString(), suspended: cluster.suspended !== "" };
    },
    states: new Map([["now", stateFile([])]]),
    restored: [],
    graded: [],
    verdict: ({ expressions }) => ({
      ok: true,
      results: expressions.map(() => ({ passed: true, message: "" })),
      revision: 50,
    }),
    gradeStep: async (question) => {
      cluster.graded.push(question);
      return cluster.verdict(question);
    },
    performed: [],
    refuses: undefined,
    perform: async (actions) => {
      cluster.performed.push(...actions);
      return cluster.refuses ?? { ok: true, revision: 40 };
    },
    received: [],
    receiveImport: async (pieces) => {
      cluster.received.push(pieces);
      return cluster.importRefusal ?? { ok: true };
    },
    continueImport: async () => {
      const isDone = ++continued > 2;
      if (!isDone) return { ok: true, isDone };
      return { ok: true, isDone, start: { isReady: true, isPaused: false }, notImported: [], notImportedCount: 7 };
    },
    initialize: async (options) => {
      cluster.initializeOptions = options;
      const notImported = [{ kind: "Pod", namespace: "a", name: "b", reason: "it was not asked" }];
      if (options.manifests !== "bad") return { ok: true, ...(options.import ? { notImported } : {}) };
      const problems = [{ document: 1, line: 6, field: "kind", message: "no such kind" }];
      return { ok: false, code: "invalid_manifests", message: "no such kind", field: "manifests", problems };
    },
    addToken: async (token) => {
      const at = cluster.tokens.findIndex(({ hash }) => hash === token.hash);
      if (at >= 0) cluster.tokens[at] = token;
      else cluster.tokens.push(token);
      return cluster.tokens.length <= 3 ? "added" : "full";
    },
    listTokens: async () => cluster.tokens.map(({ hash, ...token }) => ({ ...token, id: hash.slice(0, 20) })),
    removeToken: async (id) => {
      const at = cluster.tokens.findIndex(({ hash }) => hash.startsWith(id));
      return at >= 0 && cluster.tokens.splice(at, 1).length === 1;
    },
    renewed: [],
    renewTokens: async (renewed) => {
      if (cluster.destroyed) return false;
      const { revoke } = renewed;
      cluster.renewed.push(renewed);
      if (revoke === "all") cluster.tokens.length = 0;
      else cluster.tokens = cluster.tokens.filter(({ hash }) => !revoke.includes(hash));
      return true;
    },
    listAuditEvents: async () => [],
    lacks: [],
    scaled: [],
    upgraded: [],
    setExpiry: async (expiresAtMs) => {
      if (cluster.destroyed) return false;
      cluster.endsAtMs = expiresAtMs;
      return true;
    },
    setNodes: async (count, before) => {
      cluster.scaled.push([before, count]);
      return cluster.nodesRefusal ?? { ok: true };
    },
    notReady: async (waitMs) => {
      const left = (cluster.lacks.length > 1 ? cluster.lacks.shift() : cluster.lacks[0]) ?? [];
      if (left.length > 0) time.nowMs += Math.min(waitMs, limits.readyCallMs);
      return left;
    },
    setVersion: async (version) => {
      cluster.upgraded.push(version);
      return cluster.versionRefusal ?? { ok: true };
    },
    origin: async () => cluster.initializeOptions,
    saveState: async ({ revision }) => {
      const file = cluster.states.get(revision ?? "now");
      return file ? { ok: true, file } : { ok: false, code: "revision_gone", message: "it is gone" };
    },
    restoreState: async (from) => {
      if ("revision" in from && !cluster.states.has(from.revision))
        return { ok: false, code: "revision_gone", message: "it is gone" };
      cluster.restored.push(from);
      return { ok: true, revision: 99, version: "1.36" };
    },
    clockChanges: [],
    setFaults: async () => ({ ok: true, seed: 0, faults: [], injections: [] }),
    getFaults: async () => ({ ok: true, seed: 0, faults: [], injections: [] }),
    deleteFaults: async () => ({ ok: true, seed: 0, faults: [], injections: [] }),
    timeline: async () => ({ ok: true, entries: [], truncated: false }),
    followTimeline: async () => ({
      ok: true,
      entries: [],
      truncated: false,
      revision: 1,
      injection: 0,
      hasMore: false,
    }),
    recordRequests: async () => ({ ok: true, requests: [], from: new Date(startMs).toISOString(), next: undefined }),
    why: async ({ name }) => {
      const tree = { what: `Pod default/${name}`, state: "fine", because: "it runs" } as const;
      return { ok: true, sentence: `Pod default/${name} is fine: it runs.`, tree };
    },
    getClock: async () => (cluster.destroyed ? undefined : clockFacts),
    setClock: async (change) => {
      cluster.clockChanges.push(change);
      return cluster.clockRefusal ?? { ok: true, ...clockFacts };
    },
    listChanges: async () => ({ changes: [] }),
    undo: async ({ dryRun }) => {
      if (cluster.restored.length > 0) return { ok: false, code: "nothing_to_undo", message: "there is nothing" };
      if (!dryRun) cluster.restored.push({ revision: 1 });
      const undone = { user: "jane", verb: "delete", auditId: "a", changes: 3, objects: [], restoredTo: 1 };
      return { ok: true, ...undone, ...(dryRun ? {} : { revision: 5 }) };
    },
    copyPage: async () => ({ ok: true, session: "a", text: "a copy\n", isLast: true }),
    restorePage: async () => ({ ok: true, session: "a.1", isComplete: true }),
    countStoredRows: async () => (cluster.destroyed ? 0 : 1),
    destroy: async () => {
      cluster.destroyed = true;
    },
  };
  clusters.set(id, cluster);
  return cluster;
}
