// Makes fixtures: builds the service of each commit named on the command line, fills a data folder by kubectl and the control API, and packs it.
// Usage: node test/upgrades/make-fixture.ts [--small] <commit>...
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { type FixtureRecord, filesBelow, pack } from "./archive.ts";
import { Filling } from "./filling.ts";

const root = resolve(import.meta.dirname, "../..");
/** Old versions are built here, so that a second run is quick. */
const builds = join(tmpdir(), "sandbar-old-versions");
const fixtures = join(import.meta.dirname, "fixtures");

const isSmall = process.argv.includes("--small");
for (const commit of process.argv.slice(2).filter((argument) => argument !== "--small")) await make(commit);

async function make(name: string): Promise<void> {
  const commit = execFileSync("git", ["rev-parse", "--short=8", name], { cwd: root, encoding: "utf8" }).trim();
  const folder = buildOf(commit);
  const data = mkdtempSync(join(tmpdir(), "sandbar-fixture-"));
  const service = await start(folder, data);
  let record: FixtureRecord;
  try {
    const apiKey = readFileSync(join(data, "api-key"), "utf8").trim();
    const secret = readFileSync(join(data, "secret"), "utf8").trim();
    const filling = new Filling(data, service.http, apiKey);
    const filled = await filling.fill(isSmall);
    record = { commit, madeAtMs: Date.now(), apiKey, secret, ...filled };
  } catch (error) {
    console.error(service.output().slice(-3000));
    throw error;
  } finally {
    await service.stop();
  }
  record = { ...record, madeAtMs: Date.now() };
  const state = join(data, "state");
  const paths = filesBelow(data).filter((path) => path.startsWith("state/") && !isDerived(path));
  for (const path of paths.filter((path) => path.endsWith(".sqlite"))) compact(join(data, path));
  const stored = [...paths.filter((path) => existsSync(join(data, path))), "secret", "api-key"];
  mkdirSync(fixtures, { recursive: true });
  const packed = pack({ ...record, sandboxes: withObjectIds(record, state) }, data, stored);
  writeFileSync(join(fixtures, `${commit}.br`), packed);
  console.log(`${commit}: ${packed.length} bytes; not supported: ${record.unsupported.join(", ") || "nothing"}`);
  rmSync(data, { recursive: true, force: true });
}

/** Files that SQLite makes anew, and the playground's object is not needed either. */
function isDerived(path: string): boolean {
  return /-(?:wal|shm)$/.test(path);
}

/** Moves the write-ahead log into the file and releases free pages. */
function compact(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.exec("VACUUM");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Finds the object of each sandbox by the hash of its admin token, which the object stores. */
function withObjectIds({ sandboxes }: FixtureRecord, state: string): FixtureRecord["sandboxes"] {
  const files = filesBelow(state).filter((path) => /ClusterObject\/[0-9a-f]+\.sqlite$/.test(path));
  const byHash = new Map<string, string>();
  for (const path of files) {
    const database = new DatabaseSync(join(state, path));
    // The object of a deleted sandbox has no tables.
    const hasTokens = database.prepare("SELECT name FROM sqlite_master WHERE name = 'tokens'").get() !== undefined;
    const rows = hasTokens ? database.prepare("SELECT hash FROM tokens").all() : [];
    for (const { hash } of rows) byHash.set(String(hash), path);
    database.close();
  }
  const entries = Object.entries(sandboxes).map(([name, sandbox]) => {
    const path = byHash.get(createHash("sha256").update(sandbox.token).digest("hex"));
    if (path === undefined) throw new Error(`no object has the admin token of ${name}`);
    return [name, { ...sandbox, objectId: /([0-9a-f]+)\.sqlite$/.exec(path)?.[1] ?? "" }] as const;
  });
  return Object.fromEntries(entries);
}

function buildOf(commit: string): string {
  const folder = join(builds, commit);
  if (existsSync(join(folder, "dist/worker/index.js"))) return folder;
  mkdirSync(builds, { recursive: true });
  if (!existsSync(folder)) execFileSync("git", ["worktree", "add", "--detach", folder, commit], { cwd: root });
  if (!existsSync(join(folder, "node_modules"))) installInto(folder);
  run(folder, process.execPath, ["scripts/build.ts"]);
  return folder;
}

/** A build with the same lock file has the same packages. */
function installInto(folder: string): void {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const same = readdirSync(builds).find(
    (build) =>
      existsSync(join(builds, build, "node_modules")) &&
      readFileSync(join(builds, build, "package-lock.json"), "utf8") === lock,
  );
  if (same) run(folder, "cp", ["-al", join(builds, same, "node_modules"), "node_modules"]);
  else run(folder, "npm", ["ci"]);
}

function run(folder: string, program: string, args: string[]): void {
  execFileSync(program, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

interface Service {
  readonly http: string;
  output(): string;
  stop(): Promise<void>;
}

async function start(folder: string, data: string): Promise<Service> {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child: ChildProcess = spawn(process.execPath, [join(folder, "scripts/start.cjs")], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"))),
      SANDBAR_DATA: data,
      SANDBAR_HTTP_PORT: String(port),
      SANDBAR_HTTPS_PORT: String(port + 1),
      SANDBAR_SKIP_BUILD: "1",
      SANDBAR_KUBELET_DELAYS: "zero",
      SANDBAR_OPERATOR_KEY: "sbo_operatoroperatoroperator",
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const exited = new Promise<void>((done) => child.once("close", () => done()));
  for (let tries = 0; !text.includes("ready"); tries++) {
    if (tries > 1200 || child.exitCode !== null) throw new Error(`the service did not start:\n${text}`);
    await wait(100);
  }
  return {
    http: `http://127.0.0.1:${port}`,
    output: () => text,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
