// Data folders of earlier versions, of a newer one, and damaged ones, opened by the built service.
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { clustersFolderOf, objectIdOf } from "../../scripts/local/object-files.ts";
import { must } from "../../shared/base/assert.ts";
import { processOf } from "../../shared/contract/hosted/processes.ts";
import { migrations } from "../../worker/store/tables.ts";
import { readVersion, writeVersion } from "../../worker/store/versions.ts";
import { tenantMigrations } from "../../worker/tenant/tables.ts";
import type { SandboxRecord } from "../upgrades/archive.ts";
import { clusterPath, edit, type Fixture, fixtures, tenantPaths, unpackInto } from "../upgrades/fixture.ts";
import { eventually } from "./kubectl.ts";
import { control } from "./sandbox.ts";
import { freePorts, launch, type RunningService, type ServiceAddress, startService } from "./service.ts";

const dayMs = 86_400_000;
/** The number of workerd processes: with several, the files of some sandboxes move. */
const processes = 2;
const environment = { SANDBAR_KUBELET_DELAYS: "zero", SANDBAR_PROCESSES: String(processes) };
const merge = { "content-type": "application/merge-patch+json" };
const maps = "/api/v1/namespaces/default/configmaps";
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" }, data: { a: "b" } };

const all = fixtures();
const folders: string[] = [];
let service: RunningService | undefined;

afterEach(stop);
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("data of earlier versions", () => {
  test.each(["1602cc76", "d699dc82"])(
    "S2: a sandbox of %s is read, written, saved, forked, restored and exported",
    async (commit) => {
      const fixture = fixtureOf(commit);
      const { rich } = fixture.record.sandboxes;
      const address = await start(folderOf(fixture));
      const sandbox = sandboxAt(address, must(rich, "the sandbox"));
      const path = `/v1/sandboxes/${sandbox.id}`;
      expect(await answerOf(sandbox.ask("GET", "/api/v1/namespaces/shop/configmaps/config"))).toMatchObject({
        status: 200,
        body: { data: { greeting: "hello" } },
      });
      const watch = await sandbox.ask("GET", `${maps}?watch=true&timeoutSeconds=30&fieldSelector=metadata.name=new`);
      const events = watch.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await sandbox.ask("POST", maps, map)).status).toBe(201);
      expect((await events?.read())?.value).toContain('"ADDED"');
      await events?.cancel();
      // Controllers go on with what was under way when the earlier version ended.
      await eventually(
        () => "both deployments are ready",
        async () => (await readyReplicas(sandbox, "web")) === 5 && (await readyReplicas(sandbox, "late")) === 2,
      );
      const snapshot = await controlled(address, "POST", `${path}/snapshots`, { name: "after" });
      expect(snapshot.status).toBe(201);
      const scale = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
      expect((await sandbox.ask("PATCH", scale, { spec: { replicas: 1 } }, merge)).status).toBe(200);
      const forked = await controlled(address, "POST", `${path}/fork`, { name: "forked" });
      expect(forked.status).toBe(201);
      const fork = sandboxAt(address, forked.body as SandboxRecord);
      expect((await fork.ask("GET", `${maps}/new`)).status).toBe(200);
      expect((await fork.ask("PATCH", `${maps}/new`, { data: { a: "c" } }, merge)).status).toBe(200);
      const restored = await controlled(address, "POST", `${path}/restore`, { snapshot: snapshot.body.id });
      expect(restored.status).toBe(200);
      await eventually(
        () => "the restored deployment is ready",
        async () => (await readyReplicas(sandbox, "web")) === 5,
      );
      const exported = await control(address, `${path}/export`);
      expect([exported.status, (await exported.text()).includes("kind: Widget")]).toEqual([200, true]);
      expect((await controlled(address, "DELETE", path)).status).toBe(204);
    },
  );
});

describe("data of a newer version", () => {
  test("S2: a sandbox is refused with both version numbers and stays unchanged, also after its alarm; the older version opens it again", async () => {
    const fixture = fixtureOf("7dd4b011");
    const data = folderOf(fixture);
    const record = must(fixture.record.sandboxes["rich"], "the sandbox");
    const file = join(data, clusterPath(record.objectId));
    const newer = migrations.length + 2;
    edit(file, (sql) => writeVersion(sql, newer));
    const before = tablesIn(file);
    const ports = await freePorts();
    let address = await start(data, ports);
    const sandbox = sandboxAt(address, record);
    const message = `it has version ${newer}, and this service reads versions up to ${migrations.length}`;
    const status = { kind: "Status", reason: "ServiceUnavailable", code: 503 };
    for (const [method, path, body] of [
      ["GET", maps],
      ["POST", maps, map],
      ["GET", `${maps}?watch=true`],
      ["GET", "/version"],
    ] as const) {
      const answer = await answerOf(sandbox.ask(method, path, body));
      expect(answer).toMatchObject({ status: 503, body: status });
      expect(answer.body.message).toContain(message);
    }
    const path = `/v1/sandboxes/${record.id}`;
    for (const [method, below, body] of [
      ["GET", "/changes"],
      ["GET", "/tokens"],
      ["GET", "/audit"],
      ["GET", "/export"],
      ["POST", "/snapshots", {}],
      ["POST", "/fork", {}],
      ["POST", "/undo", {}],
      ["POST", "/tokens", {}],
      ["PATCH", "", { ttlSeconds: 7200 }],
    ] as const) {
      const answer = await controlled(address, method, path + below, body);
      expect([below, answer.status, answer.body.error?.code]).toEqual([below, 503, "stored_data_newer"]);
      expect(answer.body.error?.message).toContain(message);
    }
    await stop();
    // What the platform notes of alarms is its own; the service's tables are as they were.
    const placed = clusterFile(data, record.id);
    expect(tablesIn(placed)).toEqual(before);
    edit(placed, (sql) => writeVersion(sql, 0));
    address = await start(data, ports);
    expect((await sandboxAt(address, record).ask("POST", maps, map)).status).toBe(201);
    await stop();
    edit(placed, (sql) => expect(readVersion(sql)).toBe(migrations.length));
  });

  test("S2: an organisation's object is refused: nothing is counted, and its sandboxes continue", async () => {
    const fixture = fixtureOf("7dd4b011");
    const data = folderOf(fixture);
    const ports = await freePorts();
    await start(data, ports);
    await stop();
    const [path = ""] = tenantPaths(fixture);
    const newer = tenantMigrations.length + 1;
    edit(join(data, path), (sql) => writeVersion(sql, newer));
    const before = tablesIn(join(data, path));
    const address = await start(data, ports);
    const created = await controlled(address, "POST", "/v1/sandboxes", {});
    expect([created.status, created.body.error?.code]).toEqual([503, "stored_data_newer"]);
    expect(created.body.error?.message).toContain(`it has version ${newer}`);
    expect((await controlled(address, "GET", "/v1/webhooks")).status).toBe(503);
    const rich = must(fixture.record.sandboxes["rich"], "the sandbox");
    expect((await sandboxAt(address, rich).ask("POST", maps, map)).status).toBe(201);
    expect((await controlled(address, "DELETE", `/v1/sandboxes/${rich.id}`)).status).toBe(204);
    await stop();
    expect(tablesIn(join(data, path))).toEqual(before);
  });

  test("S2: a data folder with a newer database is not opened, and the reason is printed", async () => {
    const fixture = fixtureOf("1602cc76");
    const data = folderOf(fixture);
    const path = must(
      [...fixture.files.keys()].find((key) => /D1DatabaseObject\/[0-9a-f]{64}/.test(key)),
      "the database",
    );
    edit(join(data, path), (sql) => sql.run("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')"));
    const run = launch({ data, ports: await freePorts(), environment });
    expect(await run.exited).toBe(1);
    expect(run.output()).toContain("A newer version of Sandbar wrote the data folder");
    expect(run.output()).toContain("9999_later.sql");
  });
});

describe("damaged files", () => {
  const page = 4096;
  const damages: Readonly<Record<string, (file: string) => void>> = {
    "is no database": (file) => overwrite(file, 0, statSync(file).size, 0x41),
    "has no header": (file) => overwrite(file, 0, 100, 0),
    "is cut off": (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / page) * page),
    "has zeros in the middle": (file) => overwrite(file, 8 * page, statSync(file).size - 10 * page, 0),
    "has a broken schema": (file) => overwrite(file, 200, 1500, 0x7f),
  };

  test("a damaged sandbox answers a Status, the control API answers errors, and it can be deleted", async () => {
    const data = folderOf(fixtureOf("7dd4b011"));
    const ports = await freePorts();
    let address = await start(data, ports);
    const damaged: { readonly what: string; readonly record: SandboxRecord; readonly file: string }[] = [];
    for (const what of Object.keys(damages)) {
      const { body } = await controlled(address, "POST", "/v1/sandboxes", { nodes: 1, systemPods: false });
      const record = body as SandboxRecord;
      await sandboxAt(address, record).ask("POST", maps, map);
      damaged.push({ what, record, file: "" });
    }
    await stop();
    for (const [at, damage] of damaged.entries()) {
      const file = clusterFile(data, damage.record.id);
      edit(file, (sql) => sql.all("PRAGMA wal_checkpoint(TRUNCATE)"));
      damaged[at] = { ...damage, file };
      must(damages[damage.what], "the damage")(file);
    }
    address = await start(data, ports);
    for (const { what, record, file } of damaged) {
      const sandbox = sandboxAt(address, record);
      const status = { kind: "Status", reason: "InternalError", code: 500 };
      for (const [method, path, body] of [
        ["GET", maps],
        ["POST", maps, map],
        ["GET", `${maps}?watch=true`],
      ] as const) {
        const answer = await answerOf(sandbox.ask(method, path, body));
        expect({ what, ...answer }).toMatchObject({ what, status: 500, body: status });
        expect(answer.body.message).toContain("delete the sandbox and create it again");
      }
      const path = `/v1/sandboxes/${record.id}`;
      for (const [method, below] of [
        ["GET", "/changes"],
        ["GET", "/tokens"],
        ["POST", "/snapshots"],
      ] as const) {
        const answer = await controlled(address, method, path + below, method === "POST" ? {} : undefined);
        expect([what, answer.status, answer.body.error?.code]).toEqual([what, 500, "stored_data_damaged"]);
      }
      expect([what, (await controlled(address, "DELETE", path)).status]).toEqual([what, 204]);
      expect([what, (await controlled(address, "GET", path)).status]).toEqual([what, 404]);
      expect([what, existsSync(file) && statSync(file).size > 10 * page]).toEqual([what, false]);
    }
    // Others are not concerned.
    const rich = must(fixtureOf("7dd4b011").record.sandboxes["rich"], "the sandbox");
    expect((await sandboxAt(address, rich).ask("POST", maps, map)).status).toBe(201);
  });
});

/** Returns the path of a sandbox's file, after a start with `processes`. */
function clusterFile(data: string, sandboxId: string): string {
  const process = processOf(sandboxId, processes);
  return join(clustersFolderOf(data, process), `${objectIdOf(sandboxId, process)}.sqlite`);
}

function fixtureOf(commit: string): Fixture {
  return must(
    all.find(({ record }) => record.commit === commit),
    `the fixture ${commit}`,
  );
}

function folderOf(fixture: Fixture): string {
  const data = mkdtempSync(join(tmpdir(), "sandbar-upgrade-"));
  folders.push(data);
  unpackInto(fixture, data, Date.now() + dayMs);
  return data;
}

async function start(data: string, ports?: { readonly http: number; readonly https: number }): Promise<ServiceAddress> {
  service = await startService({ data, environment, ...(ports ? { ports } : {}) });
  return service.address;
}

async function stop(): Promise<void> {
  const running = service;
  service = undefined;
  await running?.stop();
}

interface Body {
  readonly id?: string;
  readonly message?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly status?: { readonly readyReplicas?: number };
}

function sandboxAt({ http }: ServiceAddress, { id, token }: Pick<SandboxRecord, "id" | "token">) {
  const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(`${http}/c/${id}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  return { id, ask };
}

async function answerOf(answer: Promise<Response>): Promise<{ status: number; body: Body }> {
  const { status, ...rest } = await answer.then(async (response) => ({
    status: response.status,
    text: await response.text(),
  }));
  // Every answer that is read here is JSON; what is not fails the test.
  return { status, body: (rest.text === "" ? {} : JSON.parse(rest.text)) as Body };
}

function controlled(address: ServiceAddress, method: string, path: string, body?: object) {
  return answerOf(control(address, path, { method, ...(body ? { body: JSON.stringify(body) } : {}) }));
}

async function readyReplicas(sandbox: ReturnType<typeof sandboxAt>, name: string): Promise<number | undefined> {
  const { body } = await answerOf(sandbox.ask("GET", `/apis/apps/v1/namespaces/shop/deployments/${name}`));
  return body.status?.readyReplicas;
}

/** Returns all that the service has stored in an object's file, to tell that nothing was changed. */
function tablesIn(file: string): unknown {
  let tables: unknown;
  edit(file, (sql) => {
    const ownTables = "name NOT LIKE '\\_cf%' ESCAPE '\\'";
    const schema = sql.all<{ type: string; name: string }>(
      `SELECT * FROM sqlite_master WHERE ${ownTables} ORDER BY name`,
    );
    const names = schema.filter(({ type }) => type === "table").map(({ name }) => name);
    tables = [schema, names.map((name) => sql.all(`SELECT * FROM "${name}"`))];
  });
  return tables;
}

/** Fills bytes of a file. */
function overwrite(file: string, at: number, length: number, byte: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(length, byte), 0, length, at);
  closeSync(descriptor);
}
