// The control API's dependencies from the Worker's bindings: D1, the object store, clusters and tenants.
import { waitUntil } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { secretOf } from "../../../shared/base/secret.ts";
import { accessLimits } from "../../../shared/base/request-limits.ts";
import { limits } from "../../../shared/base/limits.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { systemClock } from "../../../shared/base/clock.ts";
import { type GivenLimits, givenLimits } from "../../../shared/contract/sandbox-limits.ts";
import { mailSettings } from "../../../shared/contract/hosted/mail.ts";
import { inJurisdiction } from "../../../shared/contract/hosted/object-place.ts";
import type { ServiceStatus } from "../../../shared/contract/hosted/status.ts";
import { objectFilePath } from "../../../shared/contract/tunnel.ts";
import type { Env } from "../../env.ts";
import { flushNow, metricsName, unsentCounts } from "../../metrics/record.ts";
import { planNamed, type CachedPlans, cachePlans } from "../control-api/tenancy/plans.ts";
import type { ControlApiServer, SignInSettings } from "../control-api/server.ts";
import type { Caller } from "../control-api/access/caller.ts";
import { type AllowedOrigins, allowedOrigins } from "../cors.ts";
import { type Audit, unaudited } from "../db/audit.ts";
import { databaseCopy } from "../db/copy.ts";
import { directories } from "../db/directories.ts";
import { idempotency } from "../db/idempotency.ts";
import { growthOf } from "../db/placement.ts";
import { type Shard, sharded } from "../db/shards.ts";
import { rememberedMoves } from "./cached-moves.ts";
import type { FindMoved } from "../verified-credentials.ts";
import { newExpiringCache } from "../expiring-cache.ts";
import { bucketFiles } from "../files.ts";
import { note, report } from "./log.ts";
import { clusterOf, newPlacedId, placeOfObject, placeOptions, probeNameOf } from "./processes.ts";
import { throttleOf } from "./throttle.ts";
import { adminToken } from "../tokens.ts";

/** The dependencies except those that depend on the request. */
export type Backing = Omit<ControlApiServer, "server" | "console" | "hasFreeSpace">;

export function backing(env: Env): Backing {
  const cluster = clusterOf(env);
  const secret = secretOf(env);
  const tenant = (id: string) => inJurisdiction(env.TENANTS, env).getByName(id, placeOptions(env));
  return {
    ...remembering(databases(env, unaudited)),
    auditing: (audit) => remembering(databases(env, audit)),
    callerCache: callers,
    throttle: throttleOf(env),
    originCache: originsOf(env),
    statusCache,
    probeName: probeNameOf(env),
    signIn: signInOf(env),
    files: bucketFiles(env.FILES),
    secret,
    domain: env.SANDBAR_DOMAIN || undefined,
    ca: env.SANDBAR_CA || undefined,
    plan: planNamed(env.SANDBAR_PLAN ?? "") ?? "free",
    operatorKey: env.SANDBAR_OPERATOR_KEY || undefined,
    trialDifficulty: difficultyIn(env.SANDBAR_TRIAL ?? ""),
    localService: env.OUTSIDE,
    asksPrivate: env.OUTSIDE !== undefined,
    limits: limitsIn(env.SANDBAR_LIMITS),
    cluster,
    databases: databasesOf(env).map(databaseCopy),
    newSandboxId: (facts) => newPlacedId(env, facts),
    ...removing(env),
    tenant,
    followTenant: (id) => tenant(id).fetch("http://tenant/events", { headers: { upgrade: "websocket" } }),
    askCluster: async (id, path, init) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${await adminToken(secret, id)}`);
      return cluster(id).fetch(`http://cluster${path}`, { ...init, headers });
    },
    readCounts: async () => {
      if (!env.METRICS) return unsentCounts();
      const metrics = inJurisdiction(env.METRICS, env);
      await flushNow(metrics, systemClock.nowMs());
      return metrics.getByName(metricsName).read();
    },
    nowMs: () => systemClock.nowMs(),
    wait: (ms) => scheduler.wait(ms),
    later: (work, where) => waitUntil(work().catch((error: unknown) => report(error, where))),
    report,
    note,
    mail: mailSettingsOf(env),
  };
}

/** The Node.js process beside the Worker on a user's machine can remove the files of objects. */
function removing(env: Env): Pick<Backing, "removeDamaged"> {
  const { OUTSIDE: node } = env;
  if (!node) return {};
  return {
    removeDamaged: async (id) => {
      const { process, objectId } = placeOfObject(env, id);
      const answer = await node.fetch(`http://node${objectFilePath}${process}/${objectId}`, { method: "DELETE" });
      await answer.body?.cancel();
      return answer.status === 204;
    },
  };
}

/** The caches of D1's answers in this isolate. */
const callers = newExpiringCache<Caller>(limits.rememberedCallers, limits.rememberedCallerMs);
const knownOrigins = newExpiringCache<readonly string[]>(limits.rememberedCallers, limits.rememberedOriginMs);

/** The last status, for ten seconds. */
const statusCache = newExpiringCache<ServiceStatus>(1, 10_000);

const knownPlans: CachedPlans = newExpiringCache(limits.rememberedCallers, limits.rememberedPlanMs);

const knownMoves = newExpiringCache<boolean>(1, accessLimits.rememberedMoveMs);

function remembering(all: Shard): Shard {
  return {
    ...all,
    plans: cachePlans(all.plans, knownPlans, () => systemClock.nowMs()),
    secrets: rememberedMoves(all.secrets, knownMoves, () => systemClock.nowMs()),
  };
}

/** Finds sandboxes whose ids were made with a retired secret. D1 is queried only if data was ever moved. */
export function findMovedOf(env: Env): FindMoved {
  return async (id) => {
    const { secrets } = remembering(databases(env, unaudited));
    return (await secrets.hasMoved()) ? secrets.movedSandbox(id) : undefined;
  };
}

/** Returns the origins that are allowed by CORS. */
export function originsOf(env: Env): AllowedOrigins {
  return allowedOrigins({
    tenants: databases(env, unaudited).tenants,
    cache: knownOrigins,
    nowMs: () => systemClock.nowMs(),
  });
}

/** Returns the queries of the first database and the others that are bound. */
function databases(env: Env, audit: Audit): Shard {
  const [, ...further] = databasesOf(env);
  const otherShards = further.map((database) => shard(database, unaudited));
  const before = Number(env.SANDBAR_DATABASES_BEFORE || 0);
  const growth = before > 0 ? growthOf(drizzle(env.DB), before) : undefined;
  return sharded(shard(env.DB, audit), otherShards, growth);
}

/** Returns the databases, the first one first. */
function databasesOf(env: Env): D1Database[] {
  const further = [env.DB_1, env.DB_2, env.DB_3, env.DB_4, env.DB_5, env.DB_6, env.DB_7, env.DB_8, env.DB_9];
  return [env.DB, ...further.filter((database) => database !== undefined)];
}

function shard(database: D1Database, audit: Audit): Shard {
  const db = drizzle(database);
  return { ...directories(db, audit), repeats: idempotency(db) };
}

function signInOf(env: Env): SignInSettings {
  const { SANDBAR_GITHUB_CLIENT_ID: clientId = "", SANDBAR_GITHUB_CLIENT_SECRET: clientSecret = "" } = env;
  const url = trimmedEnd(env.SANDBAR_GITHUB_URL || "https://github.com", "/");
  const api = trimmedEnd(env.SANDBAR_GITHUB_API || "https://api.github.com", "/");
  const github = clientId && clientSecret ? { clientId, clientSecret, url, api } : undefined;
  return { signUp: env.SANDBAR_SIGN_UP === "open", github };
}

function mailSettingsOf({ SANDBAR_MAIL: settings, SANDBAR_MAIL_KEY: key = "" }: Env) {
  return settings ? { ...mailSettings.parse(JSON.parse(settings)), key } : undefined;
}

/** Parses `on` or a number of bits, up to a limit that clients can solve. */
function difficultyIn(text: string): number | undefined {
  if (text === "on") return limits.trialDifficulty;
  return /^([1-9]|[12]\d|3[0-2])$/.test(text) ? Number(text) : undefined;
}

function limitsIn(text: string | undefined): GivenLimits | undefined {
  return text ? givenLimits.parse(JSON.parse(text)) : undefined;
}
