// Moving tenants to an added database while the service runs, and continuing after an interruption at any step.
import type { SQLInputValue } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { grow } from "../../scripts/deploy/grow.ts";
import { moveTenants, prepareMove, type Sql } from "../../scripts/deploy/move-tenants.ts";
import { deploySettings } from "../../scripts/deploy/settings.ts";
import { growthOf, shardOf, TenantMoving } from "../../worker/edge/db/placement.ts";
import { sharded } from "../../worker/edge/db/shards.ts";
import { memoryDirectory } from "./memory-directory.ts";
import { ask } from "./interrupted-service.ts";
import { newService } from "./service.ts";

const names = Array.from({ length: 24 }, (_, at) => `tenant-${at}`);
const movers = names.filter((name) => shardOf(name, 2) !== shardOf(name, 3));
/** The token columns of a row with default values. */
const tokenFacts = { anonymousAccess: false, owner: "", secretId: "", tokenVersion: 0 };
const row = {
  name: "box",
  nodes: 1,
  description: "",
  labels: { a: "b'c" },
  madeOf: "",
  createdAtMs: 1,
  expiresAtMs: 1000,
};
const repeat = { key: "k", request: "r", holder: "h", createdAtMs: 1 };

async function begin() {
  const shards = [memoryDirectory(), memoryDirectory(), memoryDirectory()] as const;
  const [home, second, third] = shards;
  const before = sharded(home, [second]);
  const growing = sharded(home, [second, third], growthOf(home.db, 2));
  const after = sharded(home, [second, third]);
  for (const name of names) {
    home.addTenant(name, `hash of ${name}`);
    await addTo(before, name);
  }
  return { home, shards, before, growing, after, databases: shards.map(({ database }) => sqlOf(database)) };
}

type Service = ReturnType<typeof sharded>;

async function addTo({ directory, repeats }: Service, name: string, id = `box-${name}`) {
  await directory.add({ ...row, id, tenantId: name });
  await directory.markReady(name, id);
  await repeats.begin({ ...repeat, tenantId: name }, 0);
}

function sqlOf(database: ReturnType<typeof memoryDirectory>["database"]): Sql {
  return { query: async (sql, params = []) => database.prepare(sql).all(...(params as SQLInputValue[])) };
}

/** Returns databases whose nth query fails before or after its execution. */
function failing(databases: readonly Sql[], at: number, when: "before" | "after") {
  let queryCount = 0;
  return databases.map(
    (database): Sql => ({
      query: async (sql, params) => {
        const now = queryCount++;
        if (now > at || (now === at && when === "before")) throw new Error("cut off");
        const rows = await database.query(sql, params);
        if (now === at) throw new Error("cut off");
        return rows;
      },
    }),
  );
}

const quiet = { wait: async () => undefined, say: () => undefined };

async function observedState({ directory, repeats }: Service, name: string) {
  const listed = await directory.list(name, 5, 10);
  return { boxes: listed, repeats: await repeats.countSince(name, 0) };
}

async function expectMoved({ shards, after }: Awaited<ReturnType<typeof begin>>) {
  for (const name of names) {
    const { boxes, repeats } = await observedState(after, name);
    expect([name, boxes, repeats]).toEqual([
      name,
      [{ ...row, ...tokenFacts, id: `box-${name}`, tenantId: name, state: "ready", version: "1.36" }],
      1,
    ]);
    const holders = await Promise.all(shards.map((shard) => shard.directory.find(name, `box-${name}`)));
    expect([name, holders.findIndex(Boolean), holders.filter(Boolean).length]).toEqual([name, shardOf(name, 3), 1]);
  }
}

describe("J17: moving tenants to one more database", () => {
  test("moves all rows of the tenants, which stay readable at each step", async () => {
    const all = await begin();
    const { databases, growing } = all;
    await prepareMove({ databases });
    const wait = async () => {
      for (const name of names)
        expect((await observedState(growing, name)).boxes.map(({ id }) => id)).toEqual([`box-${name}`]);
    };
    await moveTenants({ ...quiet, databases, wait });
    await expectMoved(all);
    expect(movers.length).toBeGreaterThan(3);
  });

  test("is completed by the next run after an interruption at any statement, without lost or doubled rows", async () => {
    let isDone = false;
    for (let at = 0; !isDone; at += 11) {
      for (const when of ["before", "after"] as const) {
        const all = await begin();
        const { databases, growing } = all;
        await prepareMove({ databases });
        const cut = moveTenants({ ...quiet, databases: failing(databases, at, when) });
        isDone = await cut.then(
          () => true,
          () => false,
        );
        for (const name of names) {
          const { boxes } = await observedState(growing, name);
          expect([at, when, name, boxes.map(({ id }) => id)]).toEqual([at, when, name, [`box-${name}`]]);
        }
        await moveTenants({ ...quiet, databases });
        await expectMoved(all);
      }
    }
  });

  test("reads a frozen tenant, writes and sweeps nothing of it, and does not affect other tenants", async () => {
    const { databases, growing, home } = await begin();
    await prepareMove({ databases });
    const [frozen = "", otherMover = ""] = movers;
    home.database.prepare("INSERT INTO tenant_moves VALUES (?, 'frozen')").run(frozen);
    expect((await observedState(growing, frozen)).boxes).toHaveLength(1);
    const { directory, repeats, requireSettled } = growing;
    for (const write of [
      () => directory.add({ ...row, id: "new", tenantId: frozen }),
      () => directory.change(frozen, `box-${frozen}`, { name: "x" }),
      () => directory.markDeleting(frozen, `box-${frozen}`),
      () => directory.remove(frozen, `box-${frozen}`),
      () => repeats.begin({ ...repeat, tenantId: frozen, key: "other" }, 0),
      () => growing.tenants.markSandboxesDeleting(frozen),
      () => requireSettled?.(frozen),
    ])
      await expect((async () => void (await write()))()).rejects.toBeInstanceOf(TenantMoving);
    await requireSettled?.(otherMover);
    expect(await directory.change(otherMover, `box-${otherMover}`, { name: "x" })).toBe(true);
    const expired = (await directory.expired(2000, 100)).map(({ tenantId }) => tenantId);
    expect([expired.length, expired.includes(frozen)]).toEqual([names.length - 1, false]);
  });

  test("moves a tenant that is created during the move, and a tenant created at its end waits for the new Worker", async () => {
    const all = await begin();
    const { databases, growing, home, after } = all;
    const [late = "", last = ""] = Array.from({ length: 99 }, (_, at) => `late-${at}`).filter(
      (name) => shardOf(name, 2) !== shardOf(name, 3),
    );
    await prepareMove({ databases });
    let waits = 0;
    const wait = async () => {
      waits += 1;
      if (waits !== 1) return;
      home.addTenant(late, "hash of late");
      await addTo(growing, late);
    };
    await moveTenants({ ...quiet, databases, wait });
    await expectMoved(all);
    expect((await observedState(after, late)).boxes).toHaveLength(1);
    home.addTenant(last, "hash of last");
    await expect(addTo(growing, last)).rejects.toBeInstanceOf(TenantMoving);
    await addTo(after, last);
    expect((await observedState(after, last)).boxes).toHaveLength(1);
  });

  test("does not accept rows that arrive incompletely", async () => {
    const { databases, growing } = await begin();
    await prepareMove({ databases });
    const lossy = databases.map(
      (database, at): Sql => ({
        query: async (sql, params) =>
          at === 2 && sql.startsWith("INSERT INTO sandboxes") ? [] : database.query(sql, params),
      }),
    );
    await expect(moveTenants({ ...quiet, databases: lossy })).rejects.toThrow(
      "is frozen and not moved: 1,0,0,1 rows are 0,0,0,1",
    );
    for (const name of names) expect((await observedState(growing, name)).boxes).toHaveLength(1);
  });

  test("counts rows and changes nothing in a dry run, and deploys before and after the move otherwise", async () => {
    const all = await begin();
    const steps: string[] = [];
    const growing = (isDry: boolean) =>
      grow({
        settings: deploySettings.parse({ databases: 2 }),
        isDry,
        ids: async () => new Map(["sandbar", "sandbar-1", "sandbar-2"].map((name, at) => [name, String(at)])),
        database: (id) => all.databases[Number(id)] ?? { query: async () => [] },
        deploy: async ({ databases }, before) => void steps.push(`deploy ${databases} before ${before}`),
        wait: async () => undefined,
        say: (line) => void (line.startsWith("tenant ") || steps.push(line)),
      });
    await growing(true);
    expect(steps).toEqual([
      `${movers.length} tenants with ${2 * movers.length} rows would be moved to sandbar-2, the database 3`,
      "This was a dry run: nothing was changed. Run it with --yes to do it.",
    ]);
    steps.splice(0);
    await growing(false);
    expect(steps.slice(1)).toEqual([
      "deploy 3 before 2",
      "deploy 3 before undefined",
      'Done. Write "databases": 3 into the settings.',
    ]);
    await expectMoved(all);
    await expect(growing(false)).rejects.toThrow(
      'sandbar-2 has tenants already: write "databases": 3 into the settings',
    );
    await expectMoved(all);
    expect(() => all.home.database.prepare("SELECT * FROM tenant_moves")).toThrow("no such table");
  });

  test("answers writes of a moving tenant with 503 and Retry-After, and still answers reads", async () => {
    const { service, clusters } = await newService();
    const moving = { ...service, requireSettled: () => Promise.reject(new TenantMoving("moving")) };
    const answer = await ask(moving, "POST", "/v1/sandboxes");
    expect([answer.status, answer.headers.get("retry-after"), clusters.size]).toEqual([503, "10", 0]);
    expect(await answer.json()).toMatchObject({ error: { code: "moving" } });
    expect((await ask(moving, "GET", "/v1/sandboxes")).status).toBe(200);
  });
});
