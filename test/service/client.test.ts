// The package as a user has it: packed, installed, and used against the built service.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Installed, installClient } from "./client.ts";
import { operatorKey, projectRoot } from "./service.ts";

const service = inject("service");
let installed: Installed;

beforeAll(async () => {
  installed = await installClient(service);
});
afterAll(() => installed.remove());

const manifests = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: IMAGE }] }
`;

describe("the package", () => {
  test("K1: installs no dependencies", () => {
    const names = readdirSync(join(installed.folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(names).toEqual(["@sandbar-dev"]);
  });

  test("K1: has types without further packages", () => {
    const program = `
      import { Sandbar, SandbarError, type CreateSandbox, type SandboxWithToken } from "@sandbar-dev/sandbar";
      import { clusterFixture, type TestCluster, testWithCluster } from "@sandbar-dev/sandbar/testing";
      const input: CreateSandbox = { nodes: 3, kubeletSpeed: "zero", controllers: ["kubelet"], labels: { a: "b" } };
      const client = new Sandbar({ url: "http://localhost" });
      export const made: Promise<SandboxWithToken> = client.createSandbox(input, { wait: true });
      // @ts-expect-error: no such field
      export const wrong: CreateSandbox = { node: 3 };
      // @ts-expect-error: not of that type
      export const nodes: CreateSandbox = { nodes: "3" };
      export const token: Promise<{ url: string }> = client.createToken("x");
      export const code = (error: SandbarError): string => error.code;
      export const fixture: (context: object, use: (cluster: TestCluster) => Promise<void>) => Promise<void> = clusterFixture({ wait: true });
      export const own = testWithCluster((name: string, body: () => Promise<void>) => undefined);
    `;
    writeFileSync(join(installed.folder, "types.ts"), program);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
    const roots = ["--typeRoots", join(projectRoot, "node_modules/@types")];
    const words = [join(projectRoot, "node_modules/typescript/bin/tsc"), ...flags, ...roots, "types.ts"];
    execFileSync(process.execPath, words, { cwd: installed.folder, stdio: "inherit" });
  });

  test("K1: has a method for every operation of the API", async () => {
    const text =
      'import { Classes, Embed, Events, Learner, Lti, Operator, People, Sandbar, ServiceCopies, TimeAxis } from "@sandbar-dev/sandbar"; console.log([Classes, Embed, Events, Sandbar, People, Learner, Lti, Operator, ServiceCopies, TimeAxis].flatMap((one) => Object.getOwnPropertyNames(one.prototype)).join(" "));';
    const methods = (await installed.node(text)).stdout.trim().split(" ");
    // The API's own.
    const document = (await (await fetch(`${service.http}/v1/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const all = Object.values(document.paths).flatMap((path): { operationId: string; responses: object }[] =>
      Object.values(path),
    );
    // Those that send a browser elsewhere are addresses to go to.
    const operations = all
      .filter(({ responses }) => !("302" in responses))
      .map(({ operationId }) => operationId)
      .filter((id) => !id.endsWith("OfSandbox"))
      // SCIM is spoken by identity providers.
      .filter((id) => !id.includes("Scim"));
    expect(operations.length).toBeGreaterThan(20);
    expect(operations.filter((id) => !methods.includes(id))).toEqual([]);
  });
});

test("K2: the library creates, finds, changes, forks, compares, resets and deletes sandboxes", async () => {
  const { stdout, stderr } = await installed.node(`
    import { Sandbar, SandbarError } from "@sandbar-dev/sandbar";
    const client = new Sandbar();
    const out = {};
    const made = await client.createSandbox({ name: "lib", nodes: 1, labels: { by: "lib" }, manifests: ${JSON.stringify(manifests.replace("IMAGE", "nginx"))} }, { wait: true });
    out.notReady = made.notReady;
    out.found = (await client.listSandboxes({ labels: { by: "lib" } })).sandboxes.map(({ id }) => id === made.id);
    out.none = (await client.listSandboxes({ labels: { by: "else" } })).sandboxes;
    out.config = (await client.getKubeconfig(made.id)).includes(made.id);
    out.changed = (await client.changeSandbox(made.id, { labels: { by: "lib2" }, ttlSeconds: 600 })).labels;
    const again = { idempotencyKey: "lib-" + made.id };
    const [one, two] = [await client.createSandbox({ nodes: 0 }, again), await client.createSandbox({ nodes: 0 }, again)];
    out.same = one.id === two.id;
    const cluster = (path, init = {}) => fetch(client.clusterUrl(made.id) + path, { ...init, headers: { authorization: "Bearer " + made.token } });
    const snapshot = await client.createSnapshot(made.id, { name: "before" });
    await cluster("/apis/apps/v1/namespaces/default/deployments/web", { method: "DELETE" });
    out.diff = (await client.diffStates(made.id, snapshot.id)).objects.some(({ kind, name, change }) => kind === "Deployment" && name === "web" && change === "removed");
    await client.resetSandbox(made.id);
    out.reset = (await cluster("/apis/apps/v1/namespaces/default/deployments/web")).status;
    const fork = await client.forkSandbox(made.id, { snapshot: snapshot.id });
    out.forked = fork.id !== made.id;
    out.token = (await client.createToken(made.id, { user: "ada" })).user;
    out.view = (await client.createToken(made.id)).readOnly;
    out.error = await client.getSandbox("nope").catch((error) => error instanceof SandbarError && [error.status, error.code]);
    out.field = await client.createSandbox({ nodes: -1 }).catch(({ code, field }) => [code, field]);
    for (const { id } of [made, one, fork]) await client.deleteSandbox(id);
    await client.deleteSnapshot(snapshot.id);
    const dead = new Sandbar({ url: "http://127.0.0.1:1", retries: 0 });
    out.dead = await dead.health().catch(({ code, status }) => [code, status]);
    console.log(JSON.stringify(out));
  `);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    notReady: [],
    found: [true],
    none: [],
    config: true,
    changed: { by: "lib2" },
    same: true,
    diff: true,
    reset: 200,
    forked: true,
    token: "ada",
    view: true,
    error: [404, "not_found"],
    field: ["invalid_field", "nodes"],
    dead: ["unreachable", 0],
  });
});

describe("the test helper", () => {
  /** Returns the number of a process's clusters, found by their label. */
  const countClusters = async (by: string) => {
    const { stdout } = await installed.sandbar(["list", "--label", `by=${by}`, "--json"]);
    return (JSON.parse(stdout) as { id: string }[]).length;
  };

  test("K3: gives each of many concurrent tests its own cluster, which is deleted even if the test fails", async () => {
    writeFileSync(
      join(installed.folder, "helper.test.mjs"),
      `
      import assert from "node:assert";
      import { describe, test } from "node:test";
      import { testWithCluster } from "@sandbar-dev/sandbar/testing";
      const clusterTest = testWithCluster(test, { sandbox: { nodes: 0, labels: { by: "helper" } } });
      describe("at once", { concurrency: 20 }, () => {
        for (let at = 0; at < 12; at++) clusterTest("test " + at, async (cluster) => {
          const path = "/api/v1/namespaces/default/configmaps";
          const made = await cluster.fetch(path, { method: "POST", body: JSON.stringify({ metadata: { name: "mine" } }) });
          assert.equal(made.status, 201);
          assert.notEqual(at, 7, "fails on purpose");
          assert.equal((await (await cluster.fetch(path + "/mine")).json()).metadata.name, "mine");
        });
      });
      `,
    );
    const ran = await installed.node(
      'import { run } from "node:test"; import { spec } from "node:test/reporters"; run({ files: ["./helper.test.mjs"] }).compose(new spec()).pipe(process.stdout);',
    );
    expect(ran.stdout).toMatch(/pass 1[12]\b/);
    expect(ran.stdout).toMatch(/fails on purpose/);
    expect(await countClusters("helper")).toBe(0);
  });

  test("K3: gives each test its own cluster as a fixture of test.extend, and a killed process leaves none behind", async () => {
    const program = `
      import { clusterFixture } from "@sandbar-dev/sandbar/testing";
      const fixture = clusterFixture({ sandbox: { nodes: 0, labels: { by: process.argv[2] } } });
      await Promise.all([1, 2].map(() => fixture({}, async (cluster) => {
        console.log(cluster.id);
        if (process.argv[2] !== "orderly") await new Promise((done) => setTimeout(done, 600_000));
      })));
    `;
    writeFileSync(join(installed.folder, "fixture.mjs"), program);
    for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
      const environment = { SANDBAR_URL: service.http, SANDBAR_API_KEY: service.apiKey };
      const child = spawn(process.execPath, ["fixture.mjs", signal], {
        cwd: installed.folder,
        env: { ...process.env, ...environment },
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      await expect.poll(() => output.split("\n").length - 1, { timeout: 30_000 }).toBe(2);
      child.kill(signal);
      await expect.poll(() => countClusters(signal), { timeout: 30_000, interval: 300 }).toBe(0);
    }
    const orderly = await installed.node(program.replaceAll("process.argv[2]", '"orderly"'));
    expect([orderly.code, new Set(orderly.stdout.trim().split("\n")).size]).toEqual([0, 2]);
    expect(await countClusters("orderly")).toBe(0);
  });
});

describe("the command line", () => {
  const json = async (words: readonly string[]) => {
    const outcome = await installed.sandbar([...words, "--json"]);
    return { ...outcome, value: JSON.parse(outcome.stdout || "null") };
  };

  test("K4: create --wait prints a kubeconfig, and the sandbox's details on stderr", async () => {
    const words = [
      "create",
      "--name",
      "cli",
      "--description",
      "The shop",
      "--ttl",
      "1h",
      "--nodes",
      "3",
      "-f",
      "-",
      "--label",
      "by=cli",
      "--wait",
    ];
    const { code, stdout, stderr } = await installed.sandbar(words, { input: manifests.replace("IMAGE", "nginx") });
    expect([code, stdout.startsWith("apiVersion: v1\nkind: Config\n")]).toEqual([0, true]);
    expect(stderr).toMatch(/^sandbox [a-z2-7]{26} \(cli\) until \d{4}-/);
    const labelledSandboxes = (await json(["list", "--label", "by=cli"])).value;
    expect(labelledSandboxes).toMatchObject([{ name: "cli", nodes: 3 }]);
    expect((await installed.sandbar(["kubeconfig", "cli"])).stdout).toBe(stdout);
    const listed = (await installed.sandbar(["list", "--name", "cli"])).stdout.split("\n");
    expect([listed[0]?.split(/ +/), listed[1]?.split(/ +/)[1]]).toEqual([
      ["ID", "NAME", "PHASE", "NODES", "VERSION", "EXPIRES", "LABELS"],
      "cli",
    ]);
    expect((await installed.sandbar(["get", "cli"])).stdout).toContain("\ndescription: The shop\nlabels: by=cli\n");
    const extended = (await json(["extend", "cli", "--ttl", "2h"])).value;
    expect(Date.parse(extended.expiresAt)).toBeGreaterThan(Date.parse(labelledSandboxes[0].expiresAt));
  });

  test("K4: snapshot, diff, undo, restore, reset, fork, export and state work", async () => {
    const { id } = (await json(["create", "--name", "story", "--nodes", "0"])).value;
    const ask = (method: string, body?: string) =>
      fetch(`${service.http}/c/${id}/api/v1/namespaces/default/configmaps${body ? "" : "/mine"}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body ? { body } : {}),
      });
    const token = (await json(["get", "story"])).value.token;
    const snapshot = (await installed.sandbar(["snapshot", "story", "--note", "empty"])).stdout.trim();
    expect((await ask("POST", '{"metadata":{"name":"mine"}}')).status).toBe(201);
    const differing = await installed.sandbar(["diff", "story", "--from", snapshot]);
    expect([differing.code, differing.stdout]).toEqual([1, expect.stringContaining("mine")]);
    expect((await installed.sandbar(["export", "story"])).stdout).toContain("name: mine");
    expect((await installed.sandbar(["export", "story", "--state", "-o", "story.state"])).code).toBe(0);
    expect((await installed.sandbar(["undo", "story", "--dry-run"])).stdout).toContain(
      "created configmaps default/mine",
    );
    expect((await installed.sandbar(["undo", "story"])).code).toBe(0);
    expect((await ask("GET")).status).toBe(404);
    expect((await installed.sandbar(["diff", "story", "--from", snapshot])).code).toBe(0);
    await ask("POST", '{"metadata":{"name":"mine"}}');
    expect((await installed.sandbar(["restore", "story", "--snapshot", snapshot])).code).toBe(0);
    expect((await ask("GET")).status).toBe(404);
    await ask("POST", '{"metadata":{"name":"mine"}}');
    expect((await installed.sandbar(["reset", "story"])).stderr).toMatch(
      /^set back to what it was made of: now at revision \d+\n$/,
    );
    expect((await ask("GET")).status).toBe(404);
    expect((await installed.sandbar(["snapshots", "story"])).stdout).toContain(snapshot);
    const fork = (await json(["fork", "story", "--snapshot", snapshot, "--name", "story-fork"])).value;
    const ofState = (await json(["create", "--state", "story.state", "--name", "story-state"])).value;
    expect((await installed.sandbar(["export", "story-state"])).stdout).toContain("name: mine");
    expect((await installed.sandbar(["delete", id, fork.id, ofState.id])).code).toBe(0);
    expect((await installed.sandbar(["get", id])).code).toBe(1);
  });

  test("K4: templates are saved, listed, used and deleted, and usage and webhooks are listed", async () => {
    const { sandbar } = installed;
    const saved = await sandbar(["template", "save", "cli-shop", "-f", "-", "--nodes", "1"], {
      input: manifests.replace("IMAGE", "nginx"),
    });
    expect([saved.code, saved.stdout]).toEqual([0, "cli-shop@1\n"]);
    const sandbox = (await json(["create", "--template", "cli-shop@1", "--name", "of-template"])).value as {
      id: string;
      name: string;
    };
    expect((await sandbar(["reset", sandbox.name])).code).toBe(0);
    const again = await sandbar(["template", "save", "cli-shop", "--sandbox", sandbox.id]);
    expect(again.stdout).toBe("cli-shop@2\n");
    expect((await sandbar(["template", "list"])).stdout).toMatch(/^cli-shop@2 [^]*^guestbook@1 +yes/m);
    expect((await sandbar(["template", "delete", "cli-shop"])).code).toBe(0);
    expect((await sandbar(["create", "--template", "cli-shop"])).stderr).toBe("there is no such template\n");
    expect((await sandbar(["usage"])).stdout).toMatch(/of-template[^]*^total /m);
    const hook = await sandbar(["webhook", "add", "https://127.0.0.1:1/", "--event", "sandbox.created"]);
    expect(hook.stdout).toMatch(/^whsec_/);
    expect((await sandbar(["webhook", "list"])).stdout).toContain("https://127.0.0.1:1/");
    expect((await sandbar(["webhook"])).code).toBe(2);
    expect((await sandbar(["webhook", "reset"])).stderr).toContain(
      "say add, list, remove, test, rotate, redeliver, log",
    );
  });

  test("Y1: admin commands need the operator's key, and trial is unavailable unless the service offers it", async () => {
    const { sandbar } = installed;
    expect((await sandbar(["admin", "tenants"])).code).toBe(1);
    const operatorEnvironment = { environment: { SANDBAR_API_KEY: operatorKey } };
    expect((await sandbar(["admin", "tenants"], operatorEnvironment)).stdout).toMatch(/^local +local +unmetered/m);
    expect((await sandbar(["admin", "limits", "local", "nodes=100"], operatorEnvironment)).stdout).toContain(
      '"nodes": 100',
    );
    expect((await sandbar(["admin", "limits", "local"], operatorEnvironment)).stdout).toContain('"overrides": {}');
    expect((await sandbar(["admin", "metrics"], operatorEnvironment)).stdout).toContain("sandbar_tenants ");
    expect((await sandbar(["trial"])).stderr).toContain("this service has no trials");
  });

  test("K4: workloads that stay unavailable are listed, and the exit code is 3", async () => {
    const words = ["create", "-f", "-", "--wait", "--wait-seconds", "3", "--nodes", "1"];
    const { code, stderr } = await installed.sandbar(words, {
      input: manifests.replace("IMAGE", "nginx:doesnotexist"),
    });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^Deployment default\/web is not ready: pod web-/m)]);
  });

  test.each([
    [["nope"], 2, 'there is no command "nope"'],
    [["create", "--node", "3"], 2, "--node"],
    [["create", "--ttl", "soon"], 2, "--ttl must be a time such as"],
    [["create", "--label", "x"], 2, "--label must be key=value"],
    [["create", "-f", "missing.yaml"], 2, "missing.yaml cannot be read"],
    [["get"], 2, "it takes <sandbox>"],
    [["delete"], 2, "name sandboxes, or give --label"],
    [["extend", "x"], 2, "--ttl is required"],
    [["restore", "cli"], 2, "give --snapshot or --revision"],
    [["completion", "fish"], 2, "bash and zsh"],
    [["create", "--nodes", "6000"], 1, "nodes: must be at most 5000"],
    [["get", "nobody"], 1, "there is no sandbox named nobody"],
    [["get", "a".repeat(26)], 1, "there is no such sandbox"],
    [["list", "--server", "http://127.0.0.1:1"], 1, "http://127.0.0.1:1 cannot be reached"],
  ])("K4: %j exits with %i and prints %s", async (words, code, message) => {
    const outcome = await installed.sandbar(words);
    expect([outcome.code, outcome.stdout, outcome.stderr]).toEqual([code, "", expect.stringContaining(message)]);
  });

  test("K4: a missing key is reported with the places where it is searched", async () => {
    const { code, stderr } = await installed.sandbar(["list"], { environment: { SANDBAR_API_KEY: "" } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("SANDBAR_API_KEY")]);
  });

  test("K4: bash and zsh complete commands and their options", async () => {
    const { stdout } = await installed.sandbar(["completion", "bash"]);
    const ask = (words: string, at: number) =>
      execFileSync("bash", [
        "-c",
        `${stdout}\nCOMP_WORDS=(sandbar ${words}) COMP_CWORD=${at}; _sandbar; echo "\${COMPREPLY[@]}"`,
      ]);
    expect(ask("ex", 1).toString().trim()).toBe("extend export export-organisation");
    expect(ask("undo --d", 2).toString().trim()).toBe("--dry-run");
    expect((await installed.sandbar(["completion", "zsh"])).stdout).toContain("bashcompinit");
  });

  test("K4: help lists every command, and the options of each", async () => {
    expect((await installed.sandbar(["--help"])).stdout).toMatch(/kubeconfig <sandbox> +prints a sandbox's kubeconfig/);
    expect((await installed.sandbar(["create", "--help"])).stdout).toContain("-f, --file <file>");
    expect((await installed.sandbar(["version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("K4: dev names the missing package if the service is not installed", async () => {
    const bare = await installed.sandbar(["dev"]);
    expect([bare.code, bare.stderr]).toEqual([
      1,
      expect.stringMatching(/install the file sandbar-dev-local-\d+\.\d+\.\d+\.tgz of the release/),
    ]);
    const wrong = await installed.sandbar(["dev"], { environment: { SANDBAR_HOME: installed.folder } });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("is no checkout of Sandbar")]);
  });
});
