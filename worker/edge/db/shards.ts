// Tenants over several databases, where one is not enough. Who asks stands in the first: tenants, their keys, people and plans, and the audit
// log. What there is of a tenant (sandboxes, snapshots, templates, repeated requests) stands in one, by a hash of the tenant's id, beside a
// row of the tenant that all of it refers to. What is asked of all tenants is asked of all databases, and one answer is made of theirs.
import type { Directories } from "./directories.ts";
import type { Directory } from "./directory.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import { type Growth, placeOf, TenantMoving } from "./placement.ts";
import type { PlanDirectory } from "./plans.ts";
import type { SecretDirectory } from "./secrets.ts";
import type { SnapshotDirectory } from "./snapshots.ts";
import type { TemplateDirectory } from "./templates.ts";
import type { TenantDirectory } from "./tenants.ts";

/** All that the edge asks of one database. */
export interface Shard extends Directories {
  readonly repeats: IdempotencyKeys;
  /** Throws a `TenantMoving` where nothing of a tenant may be written now; absent: that never is so. */
  readonly requireSettled?: (tenantId: string) => Promise<void>;
}

/** `home`: the first database; where what is done is noted, it alone notes it. `growth`: the last of them is new. */
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
      // As long as one has more, there is more.
      forgetOld: async (beforeMs, limit) => most(await each(({ repeats }) => repeats.forgetOld(beforeMs, limit))),
    },
    ...(growth ? { requireSettled: async (tenantId: string) => void (await to(tenantId)) } : {}),
  };
}

interface Ways {
  readonly home: Shard;
  /** Where a tenant's is read. */
  of(tenantId: string): Promise<Shard>;
  /** Where it is written. */
  to(tenantId: string): Promise<Shard>;
  /** The same; nothing where it may not be written now. */
  settled(tenantId: string): Promise<Shard | undefined>;
  /** The same, for rows that are added: they refer to the tenant's. */
  placed(tenantId: string): Promise<Shard>;
  each<T>(ask: (shard: Shard) => Promise<T>): Promise<T[]>;
  all<T>(ask: (shard: Shard) => Promise<readonly T[]>): Promise<T[]>;
  /** The same, without rows of tenants that are elsewhere by now, or of which nothing may be written. */
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

/** What another database holds is noted in the first before it is done, and how it went afterwards. */
async function noted<T>({ home, to }: Ways, tenantId: string, target: string, deed: (shard: Shard) => Promise<T>) {
  const shard = await to(tenantId);
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
  const { of, to, settled, placed, each, all, work } = ways;
  return {
    tenantOf: async (id) => (await each((one) => one.directory.tenantOf(id))).find((one) => one !== undefined),
    add: async (row) => (await placed(row.tenantId)).directory.add(row),
    markReady: (tenantId, id, held) => noted(ways, tenantId, id, (one) => one.directory.markReady(tenantId, id, held)),
    markDeleting: (tenantId, id) => noted(ways, tenantId, id, (one) => one.directory.markDeleting(tenantId, id)),
    find: async (tenantId, id) => (await of(tenantId)).directory.find(tenantId, id),
    list: async (tenantId, ...rest) => (await of(tenantId)).directory.list(tenantId, ...rest),
    change: (tenantId, id, change) => noted(ways, tenantId, id, (one) => one.directory.change(tenantId, id, change)),
    renewToken: async (tenantId, id, facts) => (await to(tenantId)).directory.renewToken(tenantId, id, facts),
    remove: async (tenantId, id) => (await to(tenantId)).directory.remove(tenantId, id),
    leftovers: async (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? work((one) => one.directory.leftovers(madeBeforeMs, limit))
        : ((await settled(tenantId))?.directory.leftovers(madeBeforeMs, limit, tenantId) ?? []),
    known: (ids) => all((one) => one.directory.known(ids)),
    expired: (beforeMs, limit) => work((one) => one.directory.expired(beforeMs, limit)),
  };
}

function snapshots(ways: Ways): SnapshotDirectory {
  const { of, to, settled, placed, all, work } = ways;
  return {
    add: async (row) => (await placed(row.tenantId)).snapshots.add(row),
    count: async (tenantId, nowMs) => (await of(tenantId)).snapshots.count(tenantId, nowMs),
    bytes: async (tenantId, nowMs) => (await of(tenantId)).snapshots.bytes(tenantId, nowMs),
    markReady: (tenantId, id, facts) =>
      noted(ways, tenantId, id, (one) => one.snapshots.markReady(tenantId, id, facts)),
    markDeleting: (tenantId, id) => noted(ways, tenantId, id, (one) => one.snapshots.markDeleting(tenantId, id)),
    markEmpty: async (tenantId, id) => (await to(tenantId)).snapshots.markEmpty(tenantId, id),
    find: async (tenantId, id) => (await of(tenantId)).snapshots.find(tenantId, id),
    list: async (query) => (await of(query.tenantId)).snapshots.list(query),
    remove: async (tenantId, id) => (await to(tenantId)).snapshots.remove(tenantId, id),
    leftovers: async (madeBeforeMs, limit, tenantId) =>
      tenantId === undefined
        ? work((one) => one.snapshots.leftovers(madeBeforeMs, limit))
        : ((await settled(tenantId))?.snapshots.leftovers(madeBeforeMs, limit, tenantId) ?? []),
    expired: (beforeMs, limit, withFile) => work((one) => one.snapshots.expired(beforeMs, limit, withFile)),
    known: (ids) => all((one) => one.snapshots.known(ids)),
  };
}

function templates(ways: Ways): TemplateDirectory {
  const { of, to, placed, all, work, each } = ways;
  return {
    forgetNumbers: async (madeBeforeMs) => {
      await each((one) => one.templates.forgetNumbers(madeBeforeMs));
    },
    add: async (row) => (await placed(row.tenantId)).templates.add(row),
    count: async (tenantId) => (await of(tenantId)).templates.count(tenantId),
    markReady: (row, facts) =>
      noted(ways, row.tenantId, `${row.name}@${row.version}`, (one) => one.templates.markReady(row, facts)),
    find: async (tenantId, name, version) => (await of(tenantId)).templates.find(tenantId, name, version),
    list: async (tenantId, name) => (await of(tenantId)).templates.list(tenantId, name),
    remove: async (row, ref) =>
      ref === undefined
        ? (await to(row.tenantId)).templates.remove(row)
        : noted(ways, row.tenantId, ref, (one) => one.templates.remove(row, ref)),
    files: async (tenantId, limit) => (await of(tenantId)).templates.files(tenantId, limit),
    leftovers: (madeBeforeMs, limit) => work((one) => one.templates.leftovers(madeBeforeMs, limit)),
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

function tenants({ home, to, each }: Ways): TenantDirectory {
  return {
    ...home.tenants,
    markRest: async (tenantId) => {
      const shard = await to(tenantId);
      await home.tenants.markRest(tenantId);
      if (shard === home) return;
      await shard.tenants.markDeleting(tenantId);
      await shard.tenants.markRest(tenantId);
    },
    // The first database's goes last: while it is there, the deletion is found again.
    removeIfEmpty: async (tenantId) => {
      const shard = await to(tenantId);
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

function secrets({ home, to, each, work }: Ways): SecretDirectory {
  return {
    ...home.secrets,
    // A page of each database: what is past the last id of the page is left for the next.
    unmoved: async (secretId, nowMs, after, limit) =>
      (await work((one) => one.secrets.unmoved(secretId, nowMs, after, limit)))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    countUnmoved: async (secretId, nowMs) =>
      (await each((one) => one.secrets.countUnmoved(secretId, nowMs))).reduce((sum, one) => sum + one, 0),
    moveSandbox: async (row, facts) => (await to(row.tenantId)).secrets.moveSandbox(row, facts),
    movedSandbox: async (id) => (await each((one) => one.secrets.movedSandbox(id))).find((one) => one !== undefined),
  };
}

function most(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.max(a, b), 0);
}
