// What the control API stands on, as the Worker's bindings have it: D1, the store of files, clusters and tenants.
import { waitUntil } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { limits } from "../../shared/base/limits.ts";
import { systemClock } from "../../shared/base/clock.ts";
import type { GivenLimits } from "../../shared/contract/sandbox-limits.ts";
import { givenLimits } from "../../shared/contract/sandbox-limits.ts";
import type { Env } from "../env.ts";
import { planNamed } from "./control-api/tenancy/plans.ts";
import type { ControlApiServer } from "./control-api/service.ts";
import { directory } from "./db/directory.ts";
import { idempotency } from "./db/idempotency.ts";
import { planDirectory } from "./db/plans.ts";
import { type Directories, sharded } from "./db/shards.ts";
import { snapshotDirectory } from "./db/snapshots.ts";
import { templateDirectory } from "./db/templates.ts";
import { bucketFiles } from "./files.ts";
import { report } from "./log.ts";
import { adminToken } from "./tokens.ts";

/** All but what follows from a request. */
export type Backing = Omit<ControlApiServer, "server" | "console" | "hasRoom">;

export function backing(env: Env): Backing {
  const cluster = clusterOf(env);
  const { SANDBAR_SECRET: secret } = env;
  return {
    ...sharded(databasesOf(env).map(directories)),
    files: bucketFiles(env.FILES),
    secret,
    domain: env.SANDBAR_DOMAIN || undefined,
    ca: env.SANDBAR_CA || undefined,
    plan: planNamed(env.SANDBAR_PLAN ?? "") ?? "unmetered",
    operatorKey: env.SANDBAR_OPERATOR_KEY || undefined,
    trialDifficulty: difficultyIn(env.SANDBAR_TRIAL ?? ""),
    asksPrivate: env.OUTSIDE !== undefined,
    limits: limitsIn(env.SANDBAR_LIMITS),
    cluster,
    tenant: (id) => env.TENANTS.getByName(id),
    askCluster: async (id, path, init) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${await adminToken(secret, id)}`);
      return cluster(id).fetch(`http://cluster${path}`, { ...init, headers });
    },
    nowMs: () => systemClock.nowMs(),
    wait: (ms) => scheduler.wait(ms),
    later: (work, where) => waitUntil(work.catch((error: unknown) => report(error, where))),
    report,
  };
}

/** The first, and further ones as far as they are bound. */
function databasesOf(env: Env): D1Database[] {
  const further = [env.DB_1, env.DB_2, env.DB_3, env.DB_4, env.DB_5, env.DB_6, env.DB_7, env.DB_8, env.DB_9];
  return [env.DB, ...further.filter((one) => one !== undefined)];
}

function directories(database: D1Database): Directories {
  const db = drizzle(database);
  return {
    directory: directory(db),
    snapshots: snapshotDirectory(db),
    templates: templateDirectory(db),
    plans: planDirectory(db),
    repeats: idempotency(db),
  };
}

/** `on`, or bits; more than these nobody can do. */
function difficultyIn(text: string): number | undefined {
  if (text === "on") return limits.trialDifficulty;
  return /^([1-9]|[12]\d|3[0-2])$/.test(text) ? Number(text) : undefined;
}

function limitsIn(text: string | undefined): GivenLimits | undefined {
  return text ? givenLimits.parse(JSON.parse(text)) : undefined;
}

/** A stub belongs to one request; the id that it is made of is worked out from the name once. */
export function clusterOf({ CLUSTERS }: Pick<Env, "CLUSTERS">) {
  const ids = new Map<string, DurableObjectId>();
  return (name: string) => {
    const id = ids.get(name) ?? CLUSTERS.idFromName(name);
    if (ids.size >= limits.keptAdmissions) ids.clear();
    ids.set(name, id);
    return CLUSTERS.get(id);
  };
}
