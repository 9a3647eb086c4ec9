// Tenants over several databases, where one is not enough. Who asks stands in the first: tenants, their keys, people and plans, and the audit
// log. What there is of a tenant (sandboxes, snapshots, templates, repeated requests) stands in one, by a hash of the tenant's id, beside a
// row of the tenant that all of it refers to. What is asked of all tenants is asked of all databases, and one answer is made of theirs.
import type { Directories } from "./directories.ts";
import type { Directory } from "./directory.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import type { PlanDirectory } from "./plans.ts";
import type { SnapshotDirectory } from "./snapshots.ts";
import type { TemplateDirectory } from "./templates.ts";
import type { TenantDirectory } from "./tenants.ts";

/** All that the edge asks of one database. */
export interface Shard extends Directories {
  readonly repeats: IdempotencyKeys;
}

/**
 * The database of a tenant: the one with the highest hash together with it (rendezvous hashing), so that with one database more only one
 * tenant in so many has to be moved.
 */
export function shardOf(tenantId: string, count: number): number {
  const weights = Array.from({ length: count }, (_, at) => hash(`${at}:${tenantId}`));
  return weights.indexOf(weights.reduce((a, b) => Math.max(a, b), 0));
}

/** `home`: the first database; where what is done is noted, it alone notes it. */
export function sharded(home: Shard, further: readonly Shard[]): Shard {
  if (further.length === 0) return home;
  const shards = [home, ...further];
  const of = (tenantId: string): Shard => shards[shardOf(tenantId, shards.length)] ?? home;
  const each = <T>(ask: (shard: Shard) => Promise<T>): Promise<T[]> => Promise.all(shards.map(ask));
  const all = async <T>(ask: (shard: Shard) => Promise<readonly T[]>): Promise<T[]> => (await each(ask)).flat();
  const ways: Ways = { home, of, to: (tenantId) => placed(home, of(tenantId), tenantId), each, all };
  return {
    ...home,
    directory: directory(ways),
    snapshots: snapshots(ways),
    templates: templates(ways),
    plans: plans(ways),
    tenants: tenants(ways),
    repeats: {
      begin: async (row) => (await ways.to(row.tenantId)).repeats.begin(row),
      takeOver: (row, next, answer) => of(row.tenantId).repeats.takeOver(row, next, answer),
      keep: (row, answer) => of(row.tenantId).repeats.keep(row, answer),
      forget: (row) => of(row.tenantId).repeats.forget(row),
      countSince: (tenantId, sinceMs) => of(tenantId).repeats.countSince(tenantId, sinceMs),
      // As long as one has more, there is more.
      forgetOld: async (beforeMs, limit) => most(await each(({ repeats }) => repeats.forgetOld(beforeMs, limit))),
    },
  };
}

interface Ways {
  readonly home: Shard;
  of(tenantId: string): Shard;
  /** The same, for rows that are added: they refer to the tenant's. */
  to(tenantId: string): Promise<Shard>;
  each<T>(ask: (shard: Shard) => Promise<T>): Promise<T[]>;
  all<T>(ask: (shard: Shard) => Promise<readonly T[]>): Promise<T[]>;
}

async function placed(home: Shard, shard: Shard, tenantId: string): Promise<Shard> {
  if (shard !== home) await shard.plans.ensure(tenantId, tenantId, 0);
  return shard;
}

/** What another database holds is noted in the first before it is done, and how it went afterwards. */
async function noted<T>({ home, of }: Ways, tenantId: string, target: string, deed: (shard: Shard) => Promise<T>) {
  const shard = of(tenantId);
  if (shard === home) return deed(home);
  const seq = await home.audit.begin(target);
  const end = async (outcome: "done" | "failed", code = "") => {
    if (seq !== undefined) await home.audit.end(seq, outcome, code);
  };
  try {
    const done = await deed(shard);
    await (done === false ? end("failed", "not_found") : end("done"));
    return done;
  } catch (error) {
    await end("failed", "internal");
    throw error;
  }
}

function directory(ways: Ways): Directory {
  const { of, to, each, all } = ways;
  return {
    tenantOf: async (id) => (await each((one) => one.directory.tenantOf(id))).find((one) => one !== undefined),
    add: async (row) => (await to(row.tenantId)).directory.add(row),
    markReady: (tenantId, id, held) => noted(ways, tenantId, id, (one) => one.directory.markReady(tenantId, id, held)),
    markDeleting: (tenantId, id) => noted(ways, tenantId, id, (one) => one.directory.markDeleting(tenantId, id)),
    find: (tenantId, id) => of(tenantId).directory.find(tenantId, id),
    list: (tenantId, ...rest) => of(tenantId).directory.list(tenantId, ...rest),
    change: (tenantId, id, change) => noted(ways, tenantId, id, (one) => one.directory.change(tenantId, id, change)),
    remove: (tenantId, id) => of(tenantId).directory.remove(tenantId, id),
    leftovers: (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? all((one) => one.directory.leftovers(madeBeforeMs, limit))
        : of(tenantId).directory.leftovers(madeBeforeMs, limit, tenantId),
    known: (ids) => all((one) => one.directory.known(ids)),
    expired: (beforeMs, limit) => all((one) => one.directory.expired(beforeMs, limit)),
  };
}

function snapshots(ways: Ways): SnapshotDirectory {
  const { of, to, all } = ways;
  return {
    add: async (row) => (await to(row.tenantId)).snapshots.add(row),
    count: (tenantId, nowMs) => of(tenantId).snapshots.count(tenantId, nowMs),
    bytes: (tenantId, nowMs) => of(tenantId).snapshots.bytes(tenantId, nowMs),
    markReady: (tenantId, id, facts) =>
      noted(ways, tenantId, id, (one) => one.snapshots.markReady(tenantId, id, facts)),
    markDeleting: (tenantId, id) => noted(ways, tenantId, id, (one) => one.snapshots.markDeleting(tenantId, id)),
    markEmpty: (tenantId, id) => of(tenantId).snapshots.markEmpty(tenantId, id),
    find: (tenantId, id) => of(tenantId).snapshots.find(tenantId, id),
    list: (query) => of(query.tenantId).snapshots.list(query),
    remove: (tenantId, id) => of(tenantId).snapshots.remove(tenantId, id),
    leftovers: (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? all((one) => one.snapshots.leftovers(madeBeforeMs, limit))
        : of(tenantId).snapshots.leftovers(madeBeforeMs, limit, tenantId),
    expired: (beforeMs, limit, withFile) => all((one) => one.snapshots.expired(beforeMs, limit, withFile)),
    known: (ids) => all((one) => one.snapshots.known(ids)),
  };
}

function templates(ways: Ways): TemplateDirectory {
  const { of, to, all, each } = ways;
  return {
    forgetNumbers: async (madeBeforeMs) => {
      await each((one) => one.templates.forgetNumbers(madeBeforeMs));
    },
    add: async (row) => (await to(row.tenantId)).templates.add(row),
    count: (tenantId) => of(tenantId).templates.count(tenantId),
    markReady: (row, facts) =>
      noted(ways, row.tenantId, `${row.name}@${row.version}`, (one) => one.templates.markReady(row, facts)),
    find: (tenantId, name, version) => of(tenantId).templates.find(tenantId, name, version),
    list: (tenantId, name) => of(tenantId).templates.list(tenantId, name),
    remove: (row, ref) =>
      ref === undefined
        ? of(row.tenantId).templates.remove(row)
        : noted(ways, row.tenantId, ref, (one) => one.templates.remove(row, ref)),
    files: (tenantId, limit) => of(tenantId).templates.files(tenantId, limit),
    leftovers: (madeBeforeMs, limit) => all((one) => one.templates.leftovers(madeBeforeMs, limit)),
    known: (ids) => all((one) => one.templates.known(ids)),
  };
}

function plans({ home, each }: Ways): PlanDirectory {
  return {
    ...home.plans,
    totals: async (nowMs) => {
      const every = await each((one) => one.plans.totals(nowMs));
      // Tenants have rows elsewhere, too.
      const { tenants: count, suspended } = every[0] ?? { tenants: 0, suspended: 0 };
      const sum = (name: "liveSandboxes" | "unfinished") => every.reduce((total, one) => total + one[name], 0);
      return { tenants: count, suspended, liveSandboxes: sum("liveSandboxes"), unfinished: sum("unfinished") };
    },
  };
}

function tenants({ home, of, each }: Ways): TenantDirectory {
  return {
    ...home.tenants,
    markRest: async (tenantId) => {
      await home.tenants.markRest(tenantId);
      const shard = of(tenantId);
      if (shard === home) return;
      await shard.tenants.markDeleting(tenantId);
      await shard.tenants.markRest(tenantId);
    },
    // The first database's goes last: while it is there, the deletion is found again.
    removeIfEmpty: async (tenantId) => {
      const shard = of(tenantId);
      if (shard !== home && !(await shard.tenants.removeIfEmpty(tenantId))) return false;
      return home.tenants.removeIfEmpty(tenantId);
    },
    originsOfSandbox: async (sandboxId) => {
      const owners = await each((one) => one.directory.tenantOf(sandboxId));
      const owner = owners.find((one) => one !== undefined);
      return owner === undefined ? [] : ((await home.tenants.find(owner))?.allowedOrigins ?? []);
    },
  };
}

function most(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.max(a, b), 0);
}

/** FNV-1a with a last mixing, so that texts that differ in one character are far apart. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
