// A backup of a real service and its restore: everything is compared, and clients go on with the restored one.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clustersFolderOf, objectIdOf } from "../../scripts/local/object-files.ts";
import { control, newSandbox, type TestSandbox, testSandbox } from "./sandbox.ts";
import { freePorts, projectRoot, type RunningService, startService } from "./service.ts";
import { addTenant } from "./tenants.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbar-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = { SANDBAR_KUBELET_DELAYS: "zero", SANDBAR_PROCESSES: "2" };
const configMaps = "/api/v1/namespaces/default/configmaps";
const source = join(folder, "source");

/** Runs `npm run backup` or `npm run restore` without npm. */
function script(name: "backup" | "restore", words: readonly string[], data: string, more: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, `scripts/${name}.ts`), ...words], {
    cwd: projectRoot,
    encoding: "utf8",
    env: { ...process.env, ...environment, SANDBAR_DATA: data, ...more },
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

/** Makes a backup. Returns its folder. */
function backUp(data: string): string {
  const to = mkdtempSync(join(folder, "backups-"));
  const { status, stdout, stderr } = script("backup", ["--to", to], data);
  expect(status, stdout + stderr).toBe(0);
  return join(to, readdirSync(to)[0] ?? "");
}

function restore(from: string, name: string): string {
  const data = join(folder, name);
  const { status, stdout, stderr } = script("restore", ["--from", from], data);
  expect(status, stdout + stderr).toBe(0);
  return data;
}

/** Returns the content of each file of a backup, except the manifest. */
function contentOf(backup: string): Map<string, string> {
  const files = globSync("**/*", { cwd: backup }).filter((file) => statSync(join(backup, file)).isFile());
  return new Map(
    files
      .filter((file) => file !== "manifest.json")
      .sort()
      .map((file) => {
        const bytes = readFileSync(join(backup, file));
        return [file, file.endsWith(".gz") ? gunzipSync(bytes).toString() : bytes.toString("base64")];
      }),
  );
}

/** Reads the files of the databases themselves: the rows of each table of D1 and of each cluster, without what the platform keeps. */
function tablesBelow(data: string): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  const read = (name: string, file: string) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      for (const { name: table } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
        if (/^(_|sqlite_|d1_migrations)/.test(String(table))) continue;
        const rows = database.prepare(`SELECT * FROM "${String(table)}"`).all();
        all[`${name} ${String(table)}`] = rows.map((row) => JSON.stringify(row)).sort();
      }
    } finally {
      database.close();
    }
  };
  const d1 = join(data, "state/d1/miniflare-D1DatabaseObject");
  for (const file of globSync("*.sqlite", { cwd: d1 })) if (file !== "metadata.sqlite") read("d1", join(d1, file));
  const [directory] = globSync("*.sqlite", { cwd: d1 }).filter((file) => file !== "metadata.sqlite");
  const database = new DatabaseSync(join(d1, directory ?? ""), { readOnly: true });
  const ids = database
    .prepare("SELECT id FROM sandboxes")
    .all()
    .map(({ id }) => String(id));
  database.close();
  for (const id of ids) {
    const files = [0, 1].map((process) => join(clustersFolderOf(data, process), `${objectIdOf(id, process)}.sqlite`));
    for (const file of files) if (existsSync(file)) read(id, file);
  }
  return all;
}

async function create(sandbox: TestSandbox, path: string, body: unknown): Promise<void> {
  const answer = await sandbox.fetch(path, { method: "POST", body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(201);
}

interface Listed {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

async function listed(sandbox: TestSandbox, path: string): Promise<Listed[]> {
  const answer = await sandbox.fetch(path);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return ((await answer.json()) as { items: Listed[] }).items;
}

const lesson = {
  name: "first",
  title: "First",
  manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: begun}",
  steps: [{ title: "One", text: "# One", checks: [{ name: "a", points: 1, hint: "", expression: "true" }] }],
};

/** Makes one of everything. Returns two sandboxes. */
async function populate(service: RunningService): Promise<[TestSandbox, TestSandbox]> {
  const { address } = service;
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await control(address, path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.ok, `${method} ${path}: ${await answer.clone().text()}`).toBe(true);
    return answer;
  };
  const first = await newSandbox({ nodes: 1, labels: { course: "a" } }, address);
  const second = await newSandbox({ nodes: 1 }, address);
  await create(first, "/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    },
  });
  await create(first, "/api/v1/namespaces/default/secrets", {
    metadata: { name: "s" },
    stringData: { a: "ä\u{1f600}" },
  });
  const fault = { name: "busy", selector: { verb: "delete", resource: "pods" }, action: { status: 503 } };
  await ask("PUT", `/v1/sandboxes/${first.id}/faults`, { seed: 1, faults: [fault] });
  await ask("POST", "/v1/lessons", lesson);
  await ask("POST", "/v1/lessons/first/runs", { learner: "pat" });
  await ask("POST", `/v1/sandboxes/${first.id}/tokens`, { user: "jane" });
  await ask("POST", `/v1/sandboxes/${first.id}/snapshots`, { name: "kept" });
  await ask("POST", "/v1/templates", { name: "web", sandbox: first.id });
  await ask("POST", "/v1/webhooks", { url: "https://hooks.example.com/a" });
  await ask("POST", "/v1/keys", { name: "ci", scopes: ["sandboxes:read"] });
  await ask("PATCH", `/v1/sandboxes/${first.id}/clock`, { state: "paused" });
  return [first, second];
}

describe("a backup of a running service", () => {
  let service: RunningService;
  let running: string;
  let atRest: string;
  let before: Listed[];
  let after: Listed[];
  let sandboxes: [TestSandbox, TestSandbox];

  beforeAll(async () => {
    service = await startService({ data: source, ports: await freePorts(), environment });
    addTenant(service.address, "ada");
    sandboxes = await populate(service);
    const [, busy] = sandboxes;
    const writing = { isOver: false };
    const loop = (async () => {
      for (let at = 0; !writing.isOver; at++)
        await create(busy, configMaps, { metadata: { name: `c-${at}` }, data: { text: "x".repeat(20_000) } });
    })();
    await new Promise((done) => void setTimeout(done, 1_000));
    before = await listed(busy, configMaps);
    running = await backUpInBackground(source);
    after = await listed(busy, configMaps);
    writing.isOver = true;
    await loop;
    await service.stop();
    atRest = backUp(source);
  });

  test("is restored into a new folder in which everything is equal: rows of D1, files, and the tables of every object", () => {
    const restored = restore(atRest, "equal");
    const copy = contentOf(backUp(restored));
    const original = contentOf(atRest);
    expect([...copy.keys()]).toEqual([...original.keys()]);
    for (const [file, content] of original) expect(copy.get(file), file).toBe(content);
    const names = [...original.keys()];
    expect(names.filter((name) => name.startsWith("clusters/"))).toHaveLength(4);
    expect(tablesBelow(restored)).toEqual(tablesBelow(source));
    expect(names).toContain("tenants/local.jsonl.gz");
    expect(names.filter((name) => name.startsWith("files/")).length).toBeGreaterThanOrEqual(2);
    expect(original.get("databases/0/tenants.jsonl.gz")).toContain('"ada"');
  });

  test("has a sandbox that is written to as it was at one moment", async () => {
    const data = restore(running, "running");
    const again = await startService({ data, ports: await freePorts(), environment });
    try {
      const [, { id }] = sandboxes;
      const sandbox = await (await control(again.address, `/v1/sandboxes/${id}`)).json();
      const restored = await listed(await testSandbox(again.address, sandbox as TestSandbox), configMaps);
      expect(restored.length).toBeGreaterThanOrEqual(before.length);
      // The copy is a beginning of the history: each object is there with its uid and its resource version, and none without those before it.
      const written = new Map(after.map((object) => [object.metadata.name, object.metadata]));
      for (const { metadata } of restored) {
        const { uid, resourceVersion } = written.get(metadata.name) ?? {};
        expect({ uid: metadata.uid, resourceVersion: metadata.resourceVersion }).toEqual({ uid, resourceVersion });
      }
      const numbers = restored.flatMap(({ metadata }) => /^c-(\d+)$/.exec(metadata.name)?.[1] ?? []).map(Number);
      expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, at) => at));
      expect(after.length, "the loop wrote meanwhile").toBeGreaterThan(before.length);
    } finally {
      await again.stop();
    }
  });

  test("can be used at once: kubeconfigs, tokens, faults, snapshots and the paused clock are as before", async () => {
    const data = restore(atRest, "used");
    const again = await startService({ data, ports: await freePorts(), environment });
    try {
      const [first] = sandboxes;
      const { apiKey } = again.address;
      expect(apiKey).toBe(service.address.apiKey);
      // The token of before is still valid.
      const http = `${again.address.http}/c/${first.id}`;
      const answer = await fetch(`${http}/apis/apps/v1/namespaces/default/deployments/web`, {
        headers: { authorization: `Bearer ${first.token}` },
      });
      expect(answer.status, await answer.clone().text()).toBe(200);
      const show = async (path: string) =>
        (await control(again.address, path)).json() as Promise<Record<string, unknown>>;
      expect(await show(`/v1/sandboxes/${first.id}/clock`)).toMatchObject({ state: "paused" });
      expect(await show(`/v1/sandboxes/${first.id}/tokens`)).toMatchObject({ tokens: [{ user: "jane" }] });
      expect(await show(`/v1/sandboxes/${first.id}/snapshots`)).toMatchObject({ snapshots: [{ name: "kept" }] });
      expect(await show(`/v1/sandboxes/${first.id}/faults`)).toMatchObject({ seed: 1, faults: [{ name: "busy" }] });
      expect(await show("/v1/lessons/first/results")).toMatchObject({ results: [{ learner: "pat" }] });
      const fork = await control(again.address, "/v1/sandboxes", {
        method: "POST",
        body: JSON.stringify({ template: "web" }),
      });
      expect(fork.status, await fork.text()).toBe(201);
    } finally {
      await again.stop();
    }
  });

  test("is refused before anything is written if it was altered, or if the folder has data", () => {
    const altered = mkdtempSync(join(folder, "altered-"));
    spawnSync("cp", ["-r", `${atRest}/.`, altered]);
    const file = join(altered, globSync("files/*/*", { cwd: altered })[0] ?? "");
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const refused = script("restore", ["--from", altered], join(folder, "untouched"));
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(/of the backup was altered/);
    expect(globSync("*", { cwd: join(folder, "untouched") })).toEqual([]);
    const full = script("restore", ["--from", atRest], source);
    expect(full.stderr).toMatch(/has data of a service already: set SANDBAR_DATA to a new folder/);
    rmSync(join(altered, "manifest.json"));
    expect(script("restore", ["--from", altered, "--check"], join(folder, "untouched")).stderr).toMatch(
      /no complete backup/,
    );
    expect(script("restore", ["--from", atRest, "--check"], join(folder, "untouched"))).toMatchObject({ status: 0 });
  });
});

/** Makes a backup while this process goes on. */
async function backUpInBackground(data: string): Promise<string> {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const to = mkdtempSync(join(folder, "backups-"));
  await promisify(execFile)(process.execPath, [join(projectRoot, "scripts/backup.ts"), "--to", to], {
    cwd: projectRoot,
    env: { ...process.env, ...environment, SANDBAR_DATA: data },
  });
  return join(to, readdirSync(to)[0] ?? "");
}
