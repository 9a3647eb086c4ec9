// Numbers of stored tables: interrupted and half-done upgrades, objects of a newer version, tenants' objects and snapshots.
import { describe, expect, test } from "vitest";
import { readStateFile } from "../../shared/state/read-state.ts";
import { UnusableObjectError } from "../../shared/k8s/bounds/unusable-object.ts";
import { createTables, migrations, upgradeTables } from "../../worker/store/tables.ts";
import { readVersion, writeVersion } from "../../worker/store/versions.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { createTenantTables, tenantMigrations, upgradeTenantTables } from "../../worker/tenant/tables.ts";
import { newCluster } from "../cluster.ts";
import { newTenant } from "../edge/memory-tenants.ts";
import { nodeSql } from "../sqlite.ts";
import { clusterPath, fixtures, openFile, tenantPaths } from "./fixture.ts";
import { rowsOf, schemaOf, withColumnsOf } from "./schema.ts";

const all = fixtures();
const unlimited = { liveSandboxes: null, creationsPerHour: null };

/** Returns the contents of all tables, to show that nothing was changed. */
function contentOf(sql: Sql): unknown {
  const tables = sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  const schema = sql.all("SELECT name, sql FROM sqlite_master ORDER BY name");
  return [schema, tables.map(({ name }) => sql.all(`SELECT * FROM "${name}"`))];
}

function fresh(create: (sql: Sql) => void): Sql {
  const sql = nodeSql();
  create(sql);
  return sql;
}

function oldest() {
  const [fixture] = all;
  const record = fixture?.record.sandboxes["rich"];
  if (!fixture || !record) throw new Error("there is no oldest fixture");
  return { ...openFile(fixture, clusterPath(record.objectId)), madeAtMs: fixture.record.madeAtMs };
}

describe("S2: versions of stored tables", () => {
  test.each([
    ["a sandbox", createTables, upgradeTables, migrations.length],
    ["a tenant", createTenantTables, upgradeTenantTables, tenantMigrations.length],
  ] as const)(
    "S2: %s of a newer version is refused with both numbers and is not changed",
    (_, create, upgrade, newest) => {
      const sql = fresh(create);
      expect(readVersion(sql)).toBe(newest);
      writeVersion(sql, newest + 3);
      const before = contentOf(sql);
      for (const open of [upgrade, create]) {
        const error = thrown(() => open(sql));
        expect(error).toBeInstanceOf(UnusableObjectError);
        expect(error).toMatchObject({ code: 503, reason: "ServiceUnavailable" });
        expect(error.message).toContain(
          `it has version ${newest + 3}, and this service reads versions up to ${newest}`,
        );
      }
      expect(contentOf(sql)).toEqual(before);
    },
  );

  test("S2: an upgrade that was interrupted after any step continues there", () => {
    for (let steps = 0; steps <= migrations.length; steps++) {
      const { sql, madeAtMs } = oldest();
      interruptedAfter(sql, steps);
      expect(readVersion(sql)).toBe(steps);
      upgradeTables(sql);
      expect(schemaOf(sql)).toEqual(schemaOf(fresh(createTables)));
      writes(sql, madeAtMs);
    }
  });

  test("S2: a sandbox that was partly upgraded by a version without numbers is writable", () => {
    const { sql, madeAtMs } = oldest();
    // The triggers without the table that one of them names, and columns by their new names.
    sql.run("ALTER TABLE objects RENAME COLUMN facet TO index_value");
    sql.run("ALTER TABLE queue RENAME COLUMN note TO saved_state");
    for (const { sql: text } of fresh(createTables).all<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY type DESC",
    ))
      sql.run(text);
    sql.run("ALTER TABLE queue ADD COLUMN reacts_to INTEGER");
    upgradeTables(sql);
    expect(schemaOf(sql)).toEqual(schemaOf(fresh(createTables)));
    writes(sql, madeAtMs);
  });

  test("S2: a view of writes with old column names is created again", () => {
    const fixture = all.find(({ record }) => record.commit === "d699dc82");
    const record = fixture?.record.sandboxes["rich"];
    if (!fixture || !record) throw new Error("the fixture is not there");
    const { sql } = openFile(fixture, clusterPath(record.objectId));
    expect(JSON.stringify(schemaOf(sql))).toContain("NEW.facet");
    upgradeTables(sql);
    expect(JSON.stringify(schemaOf(sql))).not.toContain("facet");
    writes(sql, fixture.record.madeAtMs);
  });

  test("S2: opening a sandbox of this version writes nothing", () => {
    const sql = fresh(createTables);
    const before = sql.rowsWritten();
    upgradeTables(sql);
    createTables(sql);
    expect(sql.rowsWritten()).toBe(before);
  });
});

/** Runs the first migrations and fails in the next one. */
function interruptedAfter(sql: Sql, steps: number): void {
  let transactions = 0;
  const dying: Sql = {
    ...sql,
    transaction: (body) =>
      sql.transaction(() => {
        const done = body();
        if (transactions++ === steps) throw new Error("the process was killed");
        return done;
      }),
  };
  if (steps === migrations.length) upgradeTables(dying);
  else expect(() => upgradeTables(dying)).toThrow("the process was killed");
}

/** Writes and lets controllers run. */
function writes(sql: Sql, madeAtMs: number): void {
  const cluster = newCluster({ sql, base: "kept", nowMs: madeAtMs + 60_000 });
  const before = cluster.registry.store.revision;
  cluster.step(60_000);
  expect(cluster.registry.store.revision).toBeGreaterThan(before);
  expect(cluster.bugs).toEqual([]);
}

function thrown(body: () => void): Error {
  try {
    body();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}

const tenants = all.flatMap((fixture) =>
  tenantPaths(fixture).map((path) => ({ commit: fixture.record.commit, fixture, path })),
);

test("S2: fixtures of tenants' objects exist for each version that had them", () => {
  expect(tenants.map(({ commit }) => commit)).toEqual([
    ...["3bafb3ef", "11199c59", "70ba4da7", "7dd4b011", "593d2db1"],
  ]);
});

test.each(tenants)("S2: the tenant's object of $commit counts, reports and queues as before", ({ fixture, path }) => {
  const { sql } = openFile(fixture, path);
  const nowMs = fixture.record.madeAtMs + 1000;
  const before = rowsOf(sql);
  upgradeTenantTables(sql);
  expect(withColumnsOf(before, rowsOf(sql))).toEqual(before);
  expect(schemaOf(sql)).toEqual(schemaOf(fresh(createTenantTables)));
  const tenant = newTenant(() => nowMs, sql);
  const { liveSandboxes, webhooks } = tenant.counts();
  expect(webhooks).toBe(1);
  const ids = Object.values(fixture.record.sandboxes).map(({ id }) => id);
  expect(liveSandboxes).toBeGreaterThanOrEqual(ids.length);
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const used = tenant.usage(day, day, "sandbox") ?? [];
  expect(ids.filter((id) => !used.some((row) => row.id === id))).toEqual([]);
  const sandbox = { id: "new", name: "new", createdAtMs: nowMs, expiresAtMs: nowMs + 60_000 };
  expect(tenant.admit(sandbox, unlimited)).toMatchObject({ ok: true });
  tenant.markMade("new");
  tenant.scores.send("platform", { subject: "ada", mark: "1", score: "{}" }, nowMs);
  expect(tenant.scores.list("platform").map(({ state }) => state)).toEqual(["waiting"]);
  expect(tenant.sandboxOfVisitor({ key: "pk", visitor: "v", wish: "w" })).toBeUndefined();
  expect(tenant.counts().liveSandboxes).toBe(liveSandboxes + 1);
  expect(tenant.webhooks.due(nowMs).length).toBeGreaterThan(0);
});

test("S2: webhooks and sandboxes of the version without rotated secrets and persons have neither", () => {
  const tenant = tenants.find(({ commit }) => commit === "593d2db1");
  if (!tenant) throw new Error("the fixture is not there");
  const { sql } = openFile(tenant.fixture, tenant.path);
  upgradeTenantTables(sql);
  expect(sql.all("SELECT secret_version, rotated_ms FROM webhooks")).toEqual([{ secret_version: 0, rotated_ms: null }]);
  expect(new Set(sql.all<{ person: string }>("SELECT person FROM sandboxes").map(({ person }) => person))).toEqual(
    new Set([""]),
  );
});

test("S2: a tenant's object without the columns of trials gets them", () => {
  const sql = nodeSql();
  createTenantTables(sql);
  for (const column of ["address", "ticket", "paused", "person"])
    sql.run(`ALTER TABLE sandboxes DROP COLUMN ${column}`);
  for (const table of ["stored_version", "visits", "scores", "events"]) sql.run(`DROP TABLE ${table}`);
  sql.run("INSERT INTO sandboxes VALUES ('a', 'a', 1, 9e15, NULL, 1, 0)");
  upgradeTenantTables(sql);
  expect(schemaOf(sql)).toEqual(schemaOf(fresh(createTenantTables)));
  const tenant = newTenant(() => 10, sql);
  expect(tenant.counts().liveSandboxes).toBe(1);
});

const blobs = all.flatMap((fixture) =>
  [...fixture.files.keys()]
    .filter((path) => path.includes("/r2/") && path.includes("/blobs/"))
    .map((path) => ({ commit: fixture.record.commit, fixture, path })),
);

test.each(blobs)("S2: a state file that $commit stored is read", ({ fixture, path }) => {
  expect(texts(fixture.files.get(path) ?? new Uint8Array())).toBeGreaterThan(50);
});

function texts(bytes: Uint8Array): number {
  const file = readStateFile(bytes);
  const read = [...file.entries()].map((entry) => file.text(entry));
  return read.length;
}
