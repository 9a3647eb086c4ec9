// Tenants over several databases.
import { describe, expect, test } from "vitest";
import { shardOf } from "../../worker/edge/db/placement.ts";
import { sharded } from "../../worker/edge/db/shards.ts";
import { memoryDirectory } from "./memory-directory.ts";

const names = Array.from({ length: 3000 }, (_, at) => `tenant-${at}`);

describe("the database of a tenant", () => {
  test("J14: is the same each time, and tenants are spread evenly", () => {
    const counts = [0, 0, 0, 0];
    for (const name of names) counts[shardOf(name, 4)] = (counts[shardOf(name, 4)] ?? 0) + 1;
    for (const count of counts) expect(Math.abs(count - 750)).toBeLessThan(100);
    expect(names.every((name) => shardOf(name, 4) === shardOf(name, 4))).toBe(true);
    expect(names.every((name) => shardOf(name, 1) === 0)).toBe(true);
  });

  test("J14: changes for few tenants if a database is added, and only to the new one", () => {
    const moved = names.filter((name) => shardOf(name, 4) !== shardOf(name, 5));
    expect(moved.every((name) => shardOf(name, 5) === 4)).toBe(true);
    expect(Math.abs(moved.length - 600)).toBeLessThan(100);
  });
});

describe("queries over several databases", () => {
  async function begin() {
    const home = memoryDirectory();
    const further = [memoryDirectory(), memoryDirectory()];
    const shards = [home, ...further];
    const all = sharded(home, further);
    const auditing = (tenantId: string, action: string) => {
      const context = {
        tenantId,
        atMs: 1,
        actorKind: "key",
        actorId: "k",
        actorName: "k",
        action,
        address: "",
        requestId: "",
      } as const;
      return sharded({ ...home, ...home.auditing(context) }, further);
    };
    const some = names.slice(0, 30);
    for (const name of some) {
      home.addTenant(name, `hash of ${name}`);
      await all.directory.add({ ...row, id: `box-${name}`, tenantId: name });
      await all.directory.markReady(name, `box-${name}`);
    }
    return { home, shards, all, some, auditing };
  }

  const row = { name: "box", nodes: 1, description: "", labels: {}, madeOf: "", createdAtMs: 1, expiresAtMs: 1000 };

  test("J14: find a tenant's rows in its database alone, and its keys in the first one", async () => {
    const { shards, all, some } = await begin();
    for (const name of some) {
      expect((await all.keys.find(`hash of ${name}`))?.tenantId).toBe(name);
      expect((await all.directory.list(name, 5, 10)).map(({ id }) => id)).toEqual([`box-${name}`]);
      const holders = await Promise.all(shards.map((shard) => shard.directory.find(name, `box-${name}`)));
      expect(holders.filter(Boolean)).toHaveLength(1);
    }
    expect(await all.keys.find("hash of nobody")).toBeUndefined();
  });

  test("J14: record changes of any database in the first one, in order", async () => {
    const { shards, some, auditing, home } = await begin();
    for (const name of some) {
      await auditing(name, "changeSandbox").directory.change(name, `box-${name}`, { name: "else" });
      await auditing(name, "changeTenant").tenants.change(name, { name: "else" });
      await auditing(name, "deleteSandbox").directory.markDeleting(name, `box-${name}`);
      const entries = await home.audit.list(name, 0, 10);
      expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
        "deleteSandbox done",
        "changeTenant done",
        "changeSandbox done",
      ]);
    }
    const counts = shards.map(({ database }) => database.prepare("SELECT count(*) AS n FROM control_audit").get());
    expect(counts).toEqual([{ n: 90 }, { n: 0 }, { n: 0 }]);
  });

  test("J14: find a tenant's origins for its sandboxes in any database", async () => {
    const { all, some } = await begin();
    for (const name of some) {
      await all.tenants.change(name, { allowedOrigins: [`https://${name}.example.org`] });
      expect(await all.tenants.originsOfSandbox(`box-${name}`)).toEqual([`https://${name}.example.org`]);
    }
    expect(await all.tenants.originsOfSandbox("nowhere")).toEqual([]);
  });

  test("J14: delete a tenant from all databases, and only after its sandboxes", async () => {
    const { all, some, shards } = await begin();
    const rows = () => shards.flatMap(({ database }) => database.prepare("SELECT id FROM tenants").all());
    for (const name of some) {
      expect(await all.tenants.markDeleting(name)).toBe(true);
      await all.tenants.markSandboxesDeleting(name);
      expect(await all.tenants.removeIfEmpty(name)).toBe(false);
      expect(await all.tenants.deleting(10)).toEqual([name]);
      const left = await all.directory.leftovers(0, 10, name);
      expect(left.map(({ id }) => id)).toEqual([`box-${name}`]);
      await all.directory.remove(name, `box-${name}`);
      expect(await all.tenants.removeIfEmpty(name)).toBe(true);
      expect(rows().filter(({ id }) => id === name)).toEqual([]);
    }
    expect(rows()).toEqual([]);
  });

  test("J14: about all tenants run in all databases", async () => {
    const { all, some } = await begin();
    expect(await all.plans.totals(5)).toEqual({
      ...{ tenants: 30, suspended: 0, liveSandboxes: 30, unfinished: 0 },
      fileBytes: 0,
    });
    expect((await all.directory.expired(2000, 100)).length).toBe(30);
    const listed: string[] = [];
    for (let after: string | undefined, page = 0; page < 10; page++) {
      const tenantPage = await all.plans.tenants(7, after);
      listed.push(...tenantPage.map(({ id }) => id));
      after = tenantPage.at(-1)?.id;
      if (tenantPage.length < 7) break;
    }
    expect(listed).toEqual([...some].sort());
    await all.plans.keepUsage({ ...usage, tenantId: "tenant-1" });
    await all.plans.keepUsage({ ...usage, tenantId: "tenant-2" });
    expect(await all.plans.usageSince("2025-12-31")).toMatchObject({ requests: 6 });
    expect(await all.directory.existingIds(some.slice(0, 5).map((name) => `box-${name}`))).toHaveLength(5);
  });

  const usage = { day: "2026-01-01", seconds: 1, awakeSeconds: 2, requests: 3, rowsRead: 4, rowsWritten: 5, bytes: 6 };
});
