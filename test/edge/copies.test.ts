// The operator's copies over fakes: rows, files and objects, refusals, the archive of an organisation, and the proof of its deletion.
import { expect, test } from "vitest";
import {
  type CopiedTables,
  copiedTables,
  copyFacts,
  deletionReport,
  storedData,
} from "../../shared/contract/hosted/copy.ts";
import { serviceStatus } from "../../shared/contract/hosted/status.ts";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { finishTenants } from "../../worker/edge/control-api/access/tenant.ts";
import { removeUnknownFiles } from "../../worker/edge/control-api/snapshot-leftovers.ts";
import { databaseCopy } from "../../worker/edge/db/copy.ts";
import { keys, newService } from "./service.ts";

const operator = { key: keys.operator };
type Harness = Awaited<ReturnType<typeof newService>>;

async function read<T>(harness: Harness, shape: { parse(value: unknown): T }, path: string): Promise<T> {
  const answer = await harness.send("GET", path, operator);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return shape.parse(await answer.json());
}

async function refusal(answer: Response): Promise<unknown> {
  const { error } = await answer.json<{ error: { code: string } }>();
  return [answer.status, error.code];
}

async function populated(): Promise<Harness & { readonly id: string }> {
  const harness = await newService();
  const { id } = sandboxWithToken.parse(
    await (await harness.send("POST", "/v1/sandboxes", { body: { name: "a" } })).json(),
  );
  expect((await harness.send("POST", `/v1/sandboxes/${id}/snapshots`, { body: { name: "s" } })).status).toBe(201);
  return { ...harness, id };
}

test("all rows that are copied can be restored into an empty database, parents before children", async () => {
  const harness = await populated();
  const { databases } = await read(harness, copyFacts, "/v1/admin/copy");
  const { tables } = await read(harness, copiedTables, "/v1/admin/copy/rows");
  expect(tables.map(({ table, rows }) => ({ table, rows: rows.length }))).toEqual(databases[0]);
  const empty = await newService();
  for (const table of ["api_keys", "tenants"]) empty.database.exec(`DELETE FROM ${table}`);
  empty.database.exec("PRAGMA foreign_keys = ON");
  for (const { table, columns, rows } of tables) {
    if (rows.length === 0) continue;
    const answer = await empty.send("POST", "/v1/admin/copy/rows", { ...operator, body: { table, columns, rows } });
    expect(answer.status, await answer.text()).toBe(200);
  }
  expect(await read(empty, copiedTables, "/v1/admin/copy/rows")).toEqual({ tables });
});

test("a table with more rows than a page is read to its end", async () => {
  const harness = await newService();
  const insert = harness.database.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES (?, 'n', 0)");
  for (let at = 0; at < 600; at++) insert.run(`t${at}`);
  const ids: unknown[] = [];
  let after: number | undefined = -1;
  for (let pages = 0; after !== undefined && pages < 10; pages++) {
    const path: string = `/v1/admin/copy/rows?table=tenants&after=${after}`;
    const { tables }: CopiedTables = await read(harness, copiedTables, path);
    const [page] = tables;
    ids.push(...(page?.rows ?? []).map((row) => row[0]));
    after = page?.after;
  }
  expect(new Set(ids).size).toBe(602);
});

test("bytes and null come back as they were", async () => {
  const { database } = await newService();
  database.exec("CREATE TABLE probe (a BLOB, b TEXT, c REAL); INSERT INTO probe VALUES (x'00ff0a', NULL, 1.5)");
  const copy = databaseCopy({
    prepare: (sql) => ({ sql, values: [], bind: (...values: unknown[]) => ({ sql, values }) }) as never,
    batch: async (statements) =>
      (statements as unknown as { sql: string; values: never[] }[]).map(({ sql, values }) => ({
        results: database.prepare(sql).all(...values),
        meta: { size_after: 0 },
      })),
  });
  const [page] = await copy.read({ table: "probe", after: -1 });
  expect(page?.rows).toEqual([[{ bytes: "AP8K" }, null, 1.5]]);
  database.exec("DELETE FROM probe");
  expect(page && (await copy.write(page))).toBe(true);
  expect((await copy.read({ table: "probe", after: -1 }))[0]?.rows).toEqual(page?.rows);
});

test("rows, files and objects that exist are not replaced", async () => {
  const harness = await populated();
  const { send, id } = harness;
  const { tables } = await read(harness, copiedTables, "/v1/admin/copy/rows");
  const { after: _, ...tenants } = tables.find(({ table }) => table === "tenants") ?? {
    table: "",
    columns: [],
    rows: [],
  };
  expect(await refusal(await send("POST", "/v1/admin/copy/rows", { ...operator, body: tenants }))).toEqual([
    409,
    "not_empty",
  ]);
  const put = { ...operator, body: new Uint8Array([1]), headers: { "content-type": "application/octet-stream" } };
  expect(await refusal(await send("PUT", "/v1/admin/copy/file?key=ada/x", put))).toEqual([409, "not_empty"]);
  expect((await send("PUT", "/v1/admin/copy/file?key=new/x", put)).status).toBe(204);
  const page = { ...operator, body: "{}\n", headers: { "content-type": "application/x-ndjson" } };
  for (const object of [`kind=clusters&id=${id}`, "kind=tenants&id=ada"])
    expect(await refusal(await send("POST", `/v1/admin/copy/objects?${object}`, page))).toEqual([409, "not_empty"]);
  expect((await send("POST", "/v1/admin/copy/objects?kind=tenants&id=new", page)).status).toBe(200);
});

test.each<[string, string, unknown, string]>([
  ["GET", "/v1/admin/copy/rows?database=1", undefined, "database"],
  ["GET", "/v1/admin/copy/rows?table=none", undefined, "table"],
  ["POST", "/v1/admin/copy/rows", { table: "none", columns: ["a"], rows: [] }, "table"],
  ["POST", "/v1/admin/copy/rows", { table: "tenants", columns: ["none"], rows: [] }, "table"],
  ["POST", "/v1/admin/copy/rows", { table: "tenants", columns: ["id"], rows: [["a", "b"]] }, "rows"],
  ["POST", "/v1/admin/copy/rows", { table: 'x"; DROP TABLE tenants', columns: ["id"], rows: [] }, "table"],
])("%s %s with %j is refused with the field", async (method, path, body, field) => {
  const { send } = await newService();
  const answer = await send(method, path, { ...operator, ...(body === undefined ? {} : { body }) });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: "invalid_field", field } });
});

test("a copy of an object that fails says why", async () => {
  const { send, clusters, id } = await populated();
  const cluster = clusters.get(id);
  if (cluster) cluster.copyPage = async () => ({ ok: false, code: "lost", message: "begin it again" });
  const answer = await send("GET", `/v1/admin/copy/objects?kind=clusters&id=${id}`, operator);
  expect(await refusal(answer)).toEqual([409, "lost"]);
});

test("the archive has rows without hashes, files, and states that can be imported", async () => {
  const { send, id } = await populated();
  const answer = await send("GET", "/v1/tenant/export");
  expect(answer.headers.get("content-type")).toBe("application/x-tar");
  const entries = entriesOf(new Uint8Array(await answer.arrayBuffer()));
  expect([...entries.keys()]).toEqual([
    "organisation.json",
    ...["tenants", "api_keys", "control_audit", "sandboxes", "snapshots"].map((table) => `rows/${table}.0.00000.jsonl`),
    expect.stringMatching(/^files\/snap/),
    "object/00000.jsonl",
    `sandboxes/${id}.state`,
    "contents.json",
  ]);
  expect(entries.get("rows/api_keys.0.00000.jsonl")).not.toContain("hash");
  expect(entries.get("rows/sandboxes.0.00000.jsonl")).toContain(id);
  expect(JSON.parse(entries.get("contents.json") ?? "")).toMatchObject({ files: 1, sandboxes: 1, failures: [] });
  expect([...entries.values()].join("")).not.toContain("bob");
});

test("the archive of a sandbox that cannot be read names it, and is complete", async () => {
  const { send, clusters, id } = await populated();
  clusters.get(id)?.states.clear();
  const entries = entriesOf(new Uint8Array(await (await send("GET", "/v1/tenant/export")).arrayBuffer()));
  expect(JSON.parse(entries.get("contents.json") ?? "")).toMatchObject({
    sandboxes: 0,
    failures: [`${id}: it is gone`],
  });
});

test("a deletion is proved: what was stored before, and that nothing was read afterwards", async () => {
  const harness = await populated();
  const { send, settled, service, time, database } = harness;
  const before = await read(harness, storedData, "/v1/admin/tenants/ada/stored");
  expect(before).toMatchObject({ rows: { tenants: 1, sandboxes: 1, snapshots: 1 }, files: 1, objectRows: 1 });
  expect((await send("DELETE", "/v1/tenant")).status).toBe(204);
  await settled();
  await finishTenants(service);
  const report = await read(harness, deletionReport, "/v1/admin/deletions/ada");
  expect(report).toMatchObject({ tenant: "ada", before, sandboxesRead: 1, sandboxRowsLeft: 0 });
  expect(report.after).toEqual({ rows: {}, files: 0, objectRows: 0 });
  expect(report.finishedAt).toBeDefined();
  expect(await read(harness, storedData, "/v1/admin/tenants/ada/stored")).toEqual(report.after);
  // The proof outlives the scheduled run, and another organisation is untouched.
  time.nowMs += 1e9;
  await removeUnknownFiles(service);
  expect((await read(harness, deletionReport, "/v1/admin/deletions/ada")).after).toEqual(report.after);
  expect(database.prepare("SELECT count(*) AS n FROM tenants WHERE id = 'bob'").get()).toEqual({ n: 1 });
});

test("a deletion that leaves rows in an object says so", async () => {
  const harness = await populated();
  const cluster = harness.clusters.get(harness.id);
  if (cluster) cluster.countStoredRows = async () => 7;
  await harness.send("DELETE", "/v1/tenant");
  await harness.settled();
  expect(await read(harness, deletionReport, "/v1/admin/deletions/ada")).toMatchObject({
    sandboxesRead: 1,
    sandboxRowsLeft: 7,
  });
});

test("the status names the part that does not answer, and is asked once in ten seconds", async () => {
  const harness = await newService();
  const { send, service, time } = harness;
  service.wait = () => new Promise(() => undefined);
  const status = async () => serviceStatus.parse(await (await send("GET", "/status", { key: "" })).json());
  expect(await status()).toMatchObject({ status: "ok" });
  const requests = { count: 0 };
  service.files = {
    ...service.files,
    list: async () => {
      requests.count++;
      throw new Error("R2 is down");
    },
  };
  expect(await status()).toMatchObject({ status: "ok" });
  time.nowMs += 10_000;
  for (let at = 0; at < 3; at++) {
    const answer = await status();
    expect(answer.status).toBe("degraded");
    expect(answer.parts.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["files"]);
  }
  expect(requests.count).toBe(1);
});

/** Returns the files of a tar archive. */
function entriesOf(bytes: Uint8Array): Map<string, string> {
  const entries = new Map<string, string>();
  const textAt = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, "");
  for (let at = 0; bytes[at]; ) {
    const size = Number.parseInt(textAt(at + 124, 12), 8);
    entries.set(textAt(at, 100), new TextDecoder().decode(bytes.subarray(at + 512, at + 512 + size)));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
