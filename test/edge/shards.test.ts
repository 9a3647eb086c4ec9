// Tenants over several databases.
import { describe, expect, test } from "vitest";
import { shardOf, sharded } from "../../worker/edge/db/shards.ts";
import { memoryDirectory } from "./memory-directory.ts";

const names = Array.from({ length: 3000 }, (_, at) => `tenant-${at}`);

describe("which database", () => {
  test("M14: a tenant's is the same each time, and all have about as many", () => {
    const counts = [0, 0, 0, 0];
    for (const name of names) counts[shardOf(name, 4)] = (counts[shardOf(name, 4)] ?? 0) + 1;
    for (const count of counts) expect(Math.abs(count - 750)).toBeLessThan(100);
    expect(names.every((name) => shardOf(name, 4) === shardOf(name, 4))).toBe(true);
    expect(names.every((name) => shardOf(name, 1) === 0)).toBe(true);
  });

  test("M14: with one more, tenants move to that one alone, and few of them", () => {
    const moved = names.filter((name) => shardOf(name, 4) !== shardOf(name, 5));
    expect(moved.every((name) => shardOf(name, 5) === 4)).toBe(true);
    expect(Math.abs(moved.length - 600)).toBeLessThan(100);
  });
});

describe("what is asked", () => {
  async function begin() {
    const shards = Array.from({ length: 3 }, () => memoryDirectory());
    const all = sharded(shards);
    const some = names.slice(0, 30);
    for (const name of some) {
      const shard = shards[shardOf(name, 3)];
      shard?.addTenant(name, `hash of ${name}`);
      await all.directory.add({ ...row, id: `box-${name}`, tenantId: name });
      await all.directory.markReady(name, `box-${name}`);
    }
    return { shards, all, some };
  }

  const row = { name: "box", nodes: 1, labels: {}, madeOf: "", createdAtMs: 1, expiresAtMs: 1000 };

  test("M14: a tenant's rows stand in its database alone, and are found by its key", async () => {
    const { shards, all, some } = await begin();
    for (const name of some) {
      expect(await all.directory.tenantOfKey(`hash of ${name}`)).toBe(name);
      expect((await all.directory.list(name, 5, 10)).map(({ id }) => id)).toEqual([`box-${name}`]);
      const holders = await Promise.all(shards.map((one) => one.directory.find(name, `box-${name}`)));
      expect(holders.filter(Boolean)).toHaveLength(1);
    }
    expect(await all.directory.tenantOfKey("hash of nobody")).toBeUndefined();
  });

  test("M14: what is asked of all tenants is asked of all databases", async () => {
    const { all, some } = await begin();
    expect(await all.plans.totals(5)).toEqual({ tenants: 30, suspended: 0, liveSandboxes: 30, unfinished: 0 });
    expect((await all.directory.expired(2000, 100)).length).toBe(30);
    const listed: string[] = [];
    for (let after: string | undefined, page = 0; page < 10; page++) {
      const found = await all.plans.tenants(7, after);
      listed.push(...found.map(({ id }) => id));
      after = found.at(-1)?.id;
      if (found.length < 7) break;
    }
    expect(listed).toEqual([...some].sort());
    await all.plans.keepUsage({ ...usage, tenantId: "tenant-1" });
    await all.plans.keepUsage({ ...usage, tenantId: "tenant-2" });
    expect(await all.plans.usageSince("2025-12-31")).toMatchObject({ requests: 6 });
    expect(await all.directory.known(some.slice(0, 5).map((name) => `box-${name}`))).toHaveLength(5);
  });

  const usage = { day: "2026-01-01", seconds: 1, awakeSeconds: 2, requests: 3, rowsRead: 4, rowsWritten: 5, bytes: 6 };
});
