// Distributes tenants over several databases. The first has the tables of callers: tenants, keys, people, plans, and the audit log.
// A tenant's sandboxes, snapshots, templates and idempotency keys are in one database, by a hash of the tenant's id, with a copy of the
// tenant's row that they reference. Queries of all tenants go to every database, and their results are merged.
import type { Directories } from "./directories.ts";
import type { Directory } from "./directory.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import { type Growth, placeOf, TenantMoving } from "./placement.ts";
import type { PlanDirectory } from "./plans.ts";
import type { SecretDirectory } from "./secrets.ts";
import type { SnapshotDirectory } from "./snapshots.ts";
import type { TemplateDirectory } from "./templates.ts";
import type { TenantDirectory } from "./tenants.ts";

/** The queries of one database. */
export interface Shard extends Directories {
  readonly repeats: IdempotencyKeys;
  /** Throws `TenantMoving` if the tenant cannot be written now. Undefined if tenants never move. */
  readonly requireSettled?: (tenantId: string) => Promise<void>;
}

/** Merges the databases. `home` is the first one and the only one with an audit log. With `growth`, the last database is new. */
export function sharded(home: Shard, further: readonly Shard[], growth?: Growth): Shard {
  if (further.length === 0) return home;
  const shards = [home, ...further];
  const ways = waysOf(home, shards, growth);
  const { of, to, each } = ways;
  return {
    ...home,
    directory: directory(ways),
    snapshots: snapshots(ways),
    templates: templates(ways),
    plans: plans(ways),
    tenants: tenants(ways),
    secrets: secrets(ways),
    repeats: {
      begin: async (row, untilMs) => (await ways.placed(row.tenantId)).repeats.begin(row, untilMs),
      renew: async (row, untilMs) => (await to(row.tenantId)).repeats.renew(row, untilMs),
      takeOver: async (row, next, answer) => (await to(row.tenantId)).repeats.takeOver(row, next, answer),
      keep: async (row, answer) => (await to(row.tenantId)).repeats.keep(row, answer),
      forget: async (row) => (await to(row.tenantId)).repeats.forget(row),
      countSince: async (tenantId, sinceMs) => (await of(tenantId)).repeats.countSince(tenantId, sinceMs),
      // The largest count decides, because the caller repeats the call while it is positive.
      forgetOld: async (beforeMs, limit) => most(await each(({ repeats }) => repeats.forgetOld(beforeMs, limit))),
    },
    ...(growth ? { requireSettled: async (tenantId: string) => void (await to(tenantId)) } : {}),
  };
}

interface Ways {
  readonly home: Shard;
  /** Returns the database from which the tenant is read. */
  of(tenantId: string): Promise<Shard>;
  /** Returns the database to which the tenant is written. */
  to(tenantId: string): Promise<Shard>;
  /** Returns the database to which the tenant is written, or undefined while it cannot be written. */
  settled(tenantId: string): Promise<Shard | undefined>;
  /** Returns the database for new rows, after copying the tenant's row that they reference. */
  placed(tenantId: string): Promise<Shard>;
  each<T>(ask: (shard: Shard) => Promise<T>): Promise<T[]>;
  all<T>(ask: (shard: Shard) => Promise<readonly T[]>): Promise<T[]>;
  /** Returns rows of all databases, without those of tenants that have moved away or cannot be written. */
  work<T extends { readonly tenantId: string }>(ask: (shard: Shard) => Promise<readonly T[]>): Promise<T[]>;
}

function waysOf(home: Shard, shards: readonly Shard[], growth: Growth | undefined): Ways {
  const place = (tenantId: string) => placeOf(tenantId, shards.length, growth);
  const each = <T>(ask: (shard: Shard) => Promise<T>): Promise<T[]> => Promise.all(shards.map(ask));
  const all = async <T>(ask: (shard: Shard) => Promise<readonly T[]>): Promise<T[]> => (await each(ask)).flat();
  const to = async (tenantId: string): Promise<Shard> => {
    const { at, isFrozen } = await place(tenantId);
    if (isFrozen) throw new TenantMoving(`tenant ${tenantId} is moving to another database`);
    return shards[at] ?? home;
  };
  return {
    home,
    of: async (tenantId) => shards[(await place(tenantId)).at] ?? home,
    to,
    settled: async (tenantId) => {
      const { at, isFrozen } = await place(tenantId);
      return isFrozen ? undefined : (shards[at] ?? home);
    },
    placed: async (tenantId) => {
      const shard = await to(tenantId);
      if (shard !== home) await shard.plans.ensure(tenantId, tenantId, 0);
      return shard;
    },
    each,
    all,
    work: async (ask) => {
      if (!growth) return all(ask);
      const rows = await each(async (shard) => (await ask(shard)).map((row) => ({ row, shard })));
      const here = await Promise.all(
        rows.flat().map(async ({ row, shard }) => {
          const { at, isFrozen } = await place(row.tenantId);
          return !isFrozen && shards[at] === shard ? [row] : [];
        }),
      );
      return here.flat();
    },
  };
}

/** Records the change in the first database before another database makes it, and its outcome afterwards. */
async function recordChange<T>(
  { home, to }: Ways,
  tenantId: string,
  target: string,
  change: (shard: Shard) => Promise<T>,
) {
  const shard = await to(tenantId);
  if (shard === home) return change(home);
  const seq = await home.audit.begin(target);
  const end = async (outcome: "done" | "failed", code = "") => {
    if (seq !== undefined) await home.audit.end(seq, outcome, code);
  };
  try {
    const done = await change(shard);
    await (done === false ? end("failed", "not_found") : end("done"));
    return done;
  } catch (error) {
    await end("failed", "internal");
    throw error;
  }
}

function directory(ways: Ways): Directory {
  const { of, to, settled, placed, each, all, work } = ways;
  return {
    tenantOf: async (id) =>
      (await each((shard) => shard.directory.tenantOf(id))).find((tenantId) => tenantId !== undefined),
    add: async (row) => (await placed(row.tenantId)).directory.add(row),
    markReady: (tenantId, id, lease) =>
      recordChange(ways, tenantId, id, (shard) => shard.directory.markReady(tenantId, id, lease)),
    markDeleting: (tenantId, id) =>
      recordChange(ways, tenantId, id, (shard) => shard.directory.markDeleting(tenantId, id)),
    find: async (tenantId, id) => (await of(tenantId)).directory.find(tenantId, id),
    list: async (tenantId, ...rest) => (await of(tenantId)).directory.list(tenantId, ...rest),
    change: (tenantId, id, change) =>
      recordChange(ways, tenantId, id, (shard) => shard.directory.change(tenantId, id, change)),
    renewToken: async (tenantId, id, facts) => (await to(tenantId)).directory.renewToken(tenantId, id, facts),
    remove: async (tenantId, id) => (await to(tenantId)).directory.remove(tenantId, id),
    leftovers: async (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? work((shard) => shard.directory.leftovers(madeBeforeMs, limit))
        : ((await settled(tenantId))?.directory.leftovers(madeBeforeMs, limit, tenantId) ?? []),
    existingIds: (ids) => all((shard) => shard.directory.existingIds(ids)),
    expired: (beforeMs, limit) => work((shard) => shard.directory.expired(beforeMs, limit)),
  };
}

function snapshots(ways: Ways): SnapshotDirectory {
  const { of, to, settled, placed, all, work } = ways;
  return {
    add: async (row) => (await placed(row.tenantId)).snapshots.add(row),
    count: async (tenantId, nowMs) => (await of(tenantId)).snapshots.count(tenantId, nowMs),
    bytes: async (tenantId, nowMs) => (await of(tenantId)).snapshots.bytes(tenantId, nowMs),
    markReady: (tenantId, id, facts) =>
      recordChange(ways, tenantId, id, (shard) => shard.snapshots.markReady(tenantId, id, facts)),
    markDeleting: (tenantId, id) =>
      recordChange(ways, tenantId, id, (shard) => shard.snapshots.markDeleting(tenantId, id)),
    markEmpty: async (tenantId, id) => (await to(tenantId)).snapshots.markEmpty(tenantId, id),
    find: async (tenantId, id) => (await of(tenantId)).snapshots.find(tenantId, id),
    list: async (query) => (await of(query.tenantId)).snapshots.list(query),
    remove: async (tenantId, id) => (await to(tenantId)).snapshots.remove(tenantId, id),
    leftovers: async (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? work((shard) => shard.snapshots.leftovers(madeBeforeMs, limit))
        : ((await settled(tenantId))?.snapshots.leftovers(madeBeforeMs, limit, tenantId) ?? []),
    expired: (beforeMs, limit, withFile) => work((shard) => shard.snapshots.expired(beforeMs, limit, withFile)),
    existingIds: (ids) => all((shard) => shard.snapshots.existingIds(ids)),
  };
}

function templates(ways: Ways): TemplateDirectory {
  const { of, to, placed, all, work, each } = ways;
  return {
    forgetNumbers: async (madeBeforeMs) => {
      await each((shard) => shard.templates.forgetNumbers(madeBeforeMs));
    },
    add: async (row) => (await placed(row.tenantId)).templates.add(row),
    count: async (tenantId) => (await of(tenantId)).templates.count(tenantId),
    markReady: (row, facts) =>
      recordChange(ways, row.tenantId, `${row.name}@${row.version}`, (shard) => shard.templates.markReady(row, facts)),
    find: async (tenantId, name, version) => (await of(tenantId)).templates.find(tenantId, name, version),
    list: async (tenantId, name) => (await of(tenantId)).templates.list(tenantId, name),
    remove: async (row, ref) =>
      ref === undefined
        ? (await to(row.tenantId)).templates.remove(row)
        : recordChange(ways, row.tenantId, ref, (shard) => shard.templates.remove(row, ref)),
    files: async (tenantId, limit) => (await of(tenantId)).templates.files(tenantId, limit),
    leftovers: (madeBeforeMs, limit) => work((shard) => shard.templates.leftovers(madeBeforeMs, limit)),
    existingIds: (ids) => all((shard) => shard.templates.existingIds(ids)),
  };
}

function plans({ home, each }: Ways): PlanDirectory {
  return {
    ...home.plans,
    totals: async (nowMs) => {
      const every = await each((shard) => shard.plans.totals(nowMs));
      // Other databases have copies of the tenants' rows.
      const { tenants: count, suspended } = every[0] ?? { tenants: 0, suspended: 0 };
      const sum = (name: "liveSandboxes" | "unfinished" | "fileBytes") =>
        every.reduce((total, totals) => total + totals[name], 0);
      return {
        tenants: count,
        suspended,
        liveSandboxes: sum("liveSandboxes"),
        unfinished: sum("unfinished"),
        fileBytes: sum("fileBytes"),
      };
    },
  };
}

function tenants({ home, to, each }: Ways): TenantDirectory {
  return {
    ...home.tenants,
    markSandboxesDeleting: async (tenantId) => {
      const shard = await to(tenantId);
      await home.tenants.markSandboxesDeleting(tenantId);
      if (shard === home) return;
      await shard.tenants.markDeleting(tenantId);
      await shard.tenants.markSandboxesDeleting(tenantId);
    },
    // Delete the row in the first database last, so that an interrupted deletion is resumed.
    removeIfEmpty: async (tenantId) => {
      const shard = await to(tenantId);
      if (shard !== home && !(await shard.tenants.removeIfEmpty(tenantId))) return false;
      return home.tenants.removeIfEmpty(tenantId);
    },
    originsOfSandbox: async (sandboxId) => {
      const owners = await each((shard) => shard.directory.tenantOf(sandboxId));
      const owner = owners.find((tenantId) => tenantId !== undefined);
      return owner === undefined ? [] : ((await home.tenants.find(owner))?.allowedOrigins ?? []);
    },
  };
}

function secrets({ home, to, each, work }: Ways): SecretDirectory {
  return {
    ...home.secrets,
    // Each database returns a page; rows past the last id of the merged page are left for the next.
    unmoved: async (secretId, nowMs, after, limit) =>
      (await work((shard) => shard.secrets.unmoved(secretId, nowMs, after, limit)))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    countUnmoved: async (secretId, nowMs) =>
      (await each((shard) => shard.secrets.countUnmoved(secretId, nowMs))).reduce((sum, count) => sum + count, 0),
    moveSandbox: async (row, facts) => (await to(row.tenantId)).secrets.moveSandbox(row, facts),
    movedSandbox: async (id) =>
      (await each((shard) => shard.secrets.movedSandbox(id))).find((sandbox) => sandbox !== undefined),
  };
}

function most(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.max(a, b), 0);
}
