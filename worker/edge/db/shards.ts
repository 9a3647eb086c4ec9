// Tenants over several databases, where one is not enough: each tenant's rows stand in one, by a hash of its id. What is asked of all
// tenants is asked of all databases, and one answer is made of theirs.
import type { Directory } from "./directory.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import type { PlanDirectory, Totals } from "./plans.ts";
import type { SnapshotDirectory } from "./snapshots.ts";
import type { TemplateDirectory } from "./templates.ts";

/** All that the edge asks of D1. */
export interface Directories {
  readonly directory: Directory;
  readonly snapshots: SnapshotDirectory;
  readonly templates: TemplateDirectory;
  readonly plans: PlanDirectory;
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

export function sharded(shards: readonly Directories[]): Directories {
  const [only] = shards;
  if (only && shards.length === 1) return only;
  const of = (tenantId: string): Directories => {
    const found = shards[shardOf(tenantId, shards.length)];
    if (!found) throw new Error("there is no database");
    return found;
  };
  const each = <T>(ask: (shard: Directories) => Promise<T>): Promise<T[]> => Promise.all(shards.map(ask));
  const all = async <T>(ask: (shard: Directories) => Promise<readonly T[]>): Promise<T[]> => (await each(ask)).flat();
  const ways: Ways = { of, each, all };
  return {
    directory: directory(ways),
    snapshots: snapshots(ways),
    templates: templates(ways),
    plans: plans(ways),
    repeats: {
      begin: (row) => of(row.tenantId).repeats.begin(row),
      takeOver: (row, next) => of(row.tenantId).repeats.takeOver(row, next),
      keep: (row, answer) => of(row.tenantId).repeats.keep(row, answer),
      forget: (row) => of(row.tenantId).repeats.forget(row),
      countSince: (tenantId, sinceMs) => of(tenantId).repeats.countSince(tenantId, sinceMs),
      // As long as one has more, there is more.
      forgetOld: async (beforeMs, limit) => most(await each(({ repeats }) => repeats.forgetOld(beforeMs, limit))),
    },
  };
}

interface Ways {
  of(tenantId: string): Directories;
  each<T>(ask: (shard: Directories) => Promise<T>): Promise<T[]>;
  all<T>(ask: (shard: Directories) => Promise<readonly T[]>): Promise<T[]>;
}

function directory({ of, each, all }: Ways): Directory {
  return {
    // A key stands beside its tenant, and says nothing of where that is.
    tenantOfKey: async (keyHash) => (await each((one) => one.directory.tenantOfKey(keyHash))).find(Boolean),
    add: (row) => of(row.tenantId).directory.add(row),
    markReady: (tenantId, id) => of(tenantId).directory.markReady(tenantId, id),
    markDeleting: (tenantId, id) => of(tenantId).directory.markDeleting(tenantId, id),
    find: (tenantId, id) => of(tenantId).directory.find(tenantId, id),
    list: (tenantId, ...rest) => of(tenantId).directory.list(tenantId, ...rest),
    change: (tenantId, id, to) => of(tenantId).directory.change(tenantId, id, to),
    remove: (tenantId, id) => of(tenantId).directory.remove(tenantId, id),
    leftovers: (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? all((one) => one.directory.leftovers(madeBeforeMs, limit))
        : of(tenantId).directory.leftovers(madeBeforeMs, limit, tenantId),
    known: (ids) => all((one) => one.directory.known(ids)),
    expired: (beforeMs, limit) => all((one) => one.directory.expired(beforeMs, limit)),
  };
}

function snapshots({ of, all }: Ways): SnapshotDirectory {
  return {
    add: (row) => of(row.tenantId).snapshots.add(row),
    count: (tenantId, nowMs) => of(tenantId).snapshots.count(tenantId, nowMs),
    bytes: (tenantId, nowMs) => of(tenantId).snapshots.bytes(tenantId, nowMs),
    markReady: (tenantId, id, facts) => of(tenantId).snapshots.markReady(tenantId, id, facts),
    markDeleting: (tenantId, id) => of(tenantId).snapshots.markDeleting(tenantId, id),
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

function templates({ of, all, each }: Ways): TemplateDirectory {
  return {
    forgetNumbers: async (madeBeforeMs) => {
      await each((one) => one.templates.forgetNumbers(madeBeforeMs));
    },
    add: (row) => of(row.tenantId).templates.add(row),
    count: (tenantId) => of(tenantId).templates.count(tenantId),
    markReady: (row, facts) => of(row.tenantId).templates.markReady(row, facts),
    find: (tenantId, name, version) => of(tenantId).templates.find(tenantId, name, version),
    list: (tenantId, name) => of(tenantId).templates.list(tenantId, name),
    remove: (row) => of(row.tenantId).templates.remove(row),
    leftovers: (madeBeforeMs, limit) => all((one) => one.templates.leftovers(madeBeforeMs, limit)),
    known: (ids) => all((one) => one.templates.known(ids)),
  };
}

function plans({ of, each, all }: Ways): PlanDirectory {
  return {
    find: (tenantId) => of(tenantId).plans.find(tenantId),
    set: (tenantId, to) => of(tenantId).plans.set(tenantId, to),
    tenant: (tenantId) => of(tenantId).plans.tenant(tenantId),
    ensure: (tenantId, name, nowMs) => of(tenantId).plans.ensure(tenantId, name, nowMs),
    tenants: async (limit, after) => {
      const rows = await all((one) => one.plans.tenants(limit, after));
      return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
    totals: async (nowMs) => (await each((one) => one.plans.totals(nowMs))).reduce<Totals>(summed, noTotals),
    unreconciled: (sinceMs, limit) => all((one) => one.plans.unreconciled(sinceMs, limit)),
    reconciled: (tenantId, atMs) => of(tenantId).plans.reconciled(tenantId, atMs),
    keepUsage: (row) => of(row.tenantId).plans.keepUsage(row),
    usageSince: async (day) => (await each((one) => one.plans.usageSince(day))).reduce(summed),
  };
}

const noTotals: Totals = { tenants: 0, suspended: 0, liveSandboxes: 0, unfinished: 0 };

/** Field by field. */
function summed<T extends { readonly [K in keyof T]: number }>(a: T, b: T): T {
  const pairs = Object.entries<number>(a).map(([name, value]) => [name, value + (b[name as keyof T] ?? 0)]);
  // The same fields, each a number.
  return Object.fromEntries(pairs) as T;
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
