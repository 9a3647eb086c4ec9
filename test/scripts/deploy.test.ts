// `npm run deploy`: its dry run, its steps, upgrades, roll-outs and rollbacks. Wrangler and the service are fakes.
import { describe, expect, test, vi } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configurationOf } from "../../scripts/deploy/configuration.ts";
import { promote, rollback } from "../../scripts/deploy/rollout.ts";
import { messageOf, storedVersions, unreadableBy, versionsIn } from "../../scripts/deploy/schema.ts";
import { deploySettings, parseSettings, settingsOf } from "../../scripts/deploy/settings.ts";
import { type Deployment, deploy, tryService } from "../../scripts/deploy/steps.ts";
import type { WranglerEvent } from "../../scripts/deploy/wrangler.ts";
import { currentApiVersion } from "../../shared/contract/hosted/api-version.ts";

const toml = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");

interface Version {
  readonly id: string;
  readonly message: string;
  readonly jurisdiction: string;
}

/** Returns a fake account that records what was created in it. */
function account(secrets?: () => string) {
  const existing = {
    isSignedIn: true,
    databases: [] as string[],
    buckets: [] as string[],
    secrets: [] as string[],
    versions: [] as Version[],
    /** The deployments, the newest first, as pairs of a version and its percentage. */
    deployments: [] as (readonly (readonly [string, number])[])[],
    keys: 0,
  };
  const ran: string[] = [];
  const files = new Map<string, string>();
  const outputLines: string[] = [];
  const events: WranglerEvent[] = [];
  const upload = (words: readonly string[], type: string) => {
    const id = `v${existing.versions.length + 1}`;
    const message = words[words.indexOf("--message") + 1] ?? "";
    const jurisdiction = /SANDBAR_JURISDICTION = "(.*)"/.exec(files.get("configuration") ?? "")?.[1] ?? "";
    existing.versions.push({ id, message, jurisdiction });
    if (type === "deploy") existing.deployments.unshift([[id, 100]]);
    if (words.includes("--secrets-file"))
      existing.secrets.push(...Object.keys(JSON.parse(files.get("secrets") ?? "{}") as object));
    events.push({ type, version_id: id, targets: ["https://sandbar.example.workers.dev"] });
    return "";
  };
  const requireWorker = () => {
    if (existing.deployments.length === 0) throw new Error("Worker not found [code: 10007]");
  };
  const commands: Readonly<Record<string, (words: readonly string[]) => string>> = {
    "whoami --json": () => {
      if (!existing.isSignedIn) throw new Error("not logged in");
      return "{}";
    },
    "d1 list": () => JSON.stringify(existing.databases.map((name, at) => ({ name, uuid: `id-${at}` }))),
    "d1 create": ([, , name = ""]) => String(existing.databases.push(name)),
    "d1 execute": (words) => {
      const sql = words.at(-1) ?? "";
      if (sql.startsWith("SELECT")) return JSON.stringify([{ results: [{ n: existing.keys }] }], undefined, 2);
      existing.keys += 1;
      return "[]";
    },
    "r2 bucket": ([, , action, name = ""]) => {
      if (action === "create") existing.buckets.push(name);
      return existing.buckets.map((bucket) => `name:           ${bucket}\ncreation_date:  2026\n`).join("\n");
    },
    "secret list": () => {
      if (secrets) return secrets();
      requireWorker();
      return JSON.stringify(existing.secrets.map((name) => ({ name, type: "secret_text" })));
    },
    "deployments list": () => {
      requireWorker();
      const list = existing.deployments.map((versions, at) => ({
        id: `d${at}`,
        created_on: `2026-01-${String(28 - at)}`,
        versions: versions.map(([version_id, percentage]) => ({ version_id, percentage })),
      }));
      return JSON.stringify(list);
    },
    "versions view": ([, , id]) => {
      const version = existing.versions.find((candidate) => candidate.id === id);
      const bindings = [{ name: "SANDBAR_JURISDICTION", type: "plain_text", text: version?.jurisdiction ?? "" }];
      const metadata = { created_on: `2026-01-${String(10 + Number(id?.slice(1)))}` };
      return JSON.stringify({
        id,
        metadata,
        annotations: { "workers/message": version?.message },
        resources: { bindings },
      });
    },
    "versions upload": (words) => upload(words, "version-upload"),
    "versions deploy": (words) => {
      const shares = words.filter((word) => word.includes("@")).map((word) => word.split("@"));
      existing.deployments.unshift(shares.map(([id = "", percent]) => [id, Number(percent)] as const));
      return "";
    },
  };
  const wrangler = async (words: readonly string[]): Promise<string> => {
    ran.push(words.filter((word) => !word.startsWith("Sandbar ")).join(" "));
    return words[0] === "deploy" ? upload(words, "deploy") : (commands[words.slice(0, 2).join(" ")]?.(words) ?? "");
  };
  const deployment = (settings: object, isDry: boolean): Deployment => ({
    settings: deploySettings.parse(settings),
    isDry,
    wrangler,
    toml,
    version: "0.1.0",
    environment: {},
    paths: { configuration: "configuration", secrets: "secrets" },
    write: (path, text) => void files.set(path, text),
    remove: (path) => void files.delete(path),
    say: (line) => void outputLines.push(line),
    nowMs: () => 0,
    events: () => events,
    smoke: { wait: async () => undefined, fetch: serviceFetch() },
  });
  const run = (settings: object, isDry: boolean, more: Partial<Deployment> = {}) =>
    deploy({ ...deployment(settings, isDry), ...more });
  return { there: existing, ran, files, said: outputLines, run, deployment };
}

/** Returns the `fetch` of a service that answers as it should, except at these paths. */
function serviceFetch(broken: Readonly<Record<string, () => Response>> = {}) {
  return vi.fn(async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    const special = broken[pathname];
    if (special) return special();
    if (pathname === "/healthz") return new Response("ok");
    if (pathname === "/v1/openapi.json") return Response.json({ info: { version: currentApiVersion } });
    if (pathname === "/") return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
    if (init.method === "POST") return Response.json({ id: "box", token: "t", server: "s" }, { status: 201 });
    if (pathname === "/c/box/api/v1/nodes") return Response.json({ items: [{}] });
    return new Response(null, { status: init.method === "DELETE" ? 204 : 404 });
  });
}

const changes = /create|apply|execute|^deploy |^versions (upload|deploy)/;

describe("a deployment", () => {
  test("changes nothing in a dry run, and prints its steps", async () => {
    const { ran, files, said: outputLines, run } = account();
    expect(await run({ tenant: "ada" }, true)).toBe(0);
    expect([ran.filter((line) => changes.test(line)), files.size]).toEqual([[], 0]);
    expect(outputLines).toContain("database sandbar: would be made");
    expect(outputLines.at(-1)).toMatch(/^This was a dry run/);
  });

  test("creates database, bucket, migrations, secrets, the Worker and a key in an empty account, in that order", async () => {
    const { there: existing, ran, files, said: outputLines, run } = account();
    await run({ tenant: "ada", databases: 2 }, false);
    const executed = /^d1 execute (\S+) .*--command (\w+)/;
    expect(
      ran.filter((line) => changes.test(line)).map((line) => executed.exec(line)?.slice(1, 3).join(" ") ?? line),
    ).toEqual([
      "d1 create sandbar",
      "d1 create sandbar-1",
      "r2 bucket create sandbar",
      "d1 migrations apply sandbar --remote --config configuration",
      "d1 migrations apply sandbar-1 --remote --config configuration",
      "deploy --config configuration --message --secrets-file secrets",
      // Keys stand in the first.
      "sandbar SELECT",
      "sandbar INSERT",
    ]);
    expect(existing.secrets.sort()).toEqual(["SANDBAR_OPERATOR_KEY", "SANDBAR_SECRET"]);
    expect(files.get("configuration")).toContain('database_id = "id-1"');
    expect(files.has("secrets")).toBe(false);
    expect(outputLines.filter((line) => /sbo_[0-9a-f]{64}$/.test(line))).toHaveLength(1);
    expect(outputLines.filter((line) => /sbk_[0-9a-f]{48}$/.test(line))).toHaveLength(1);
  });

  test("migrates and deploys the second time, and creates no secret or key again", async () => {
    const { ran, said: outputLines, run } = account();
    await run({ tenant: "ada" }, false);
    const [before, lineCount] = [ran.length, outputLines.length];
    await run({ tenant: "ada" }, false);
    expect(ran.slice(before).filter((line) => changes.test(line) && !line.includes("SELECT"))).toEqual([
      "d1 migrations apply sandbar --remote --config configuration",
      "deploy --config configuration --message",
    ]);
    expect(outputLines.slice(lineCount).some((line) => /sbk_|sbo_/.test(line))).toBe(false);
  });

  test.each(["the network is down", "account not found"])(
    "stops if the existence of a secret is unknown (%s)",
    async (why) => {
      const { run, ran, files } = account(() => {
        throw new Error(why);
      });
      await expect(run({}, false)).rejects.toThrow(why);
      expect([ran.some((line) => line.startsWith("deploy ")), files.has("secrets")]).toEqual([false, false]);
    },
  );
});

describe("a dry run", () => {
  test("needs no login, and shows the steps in an empty account", async () => {
    const { there: existing, ran, said: outputLines, run } = account();
    existing.isSignedIn = false;
    expect(await run({ tenant: "ada" }, true)).toBe(0);
    expect(ran).toEqual(["whoami --json"]);
    expect(outputLines).toContain("database sandbar: would be made");
    await expect(run({}, false)).rejects.toThrow(/wrangler login/);
  });
});

describe("secrets", () => {
  test("in the command's environment are stored, also again, except those from which ids derive", async () => {
    const { there: existing, files, run } = account();
    const stored: string[] = [];
    const write = (path: string, text: string) => {
      files.set(path, text);
      if (path === "secrets") stored.push(text);
    };
    const environment = { SANDBAR_SECRET: "s".repeat(32), SANDBAR_MAIL_KEY: "k", SANDBAR_SECRET_OLD: "never" };
    await run({}, false, { environment, write });
    expect(JSON.parse(stored[0] ?? "")).toMatchObject({ SANDBAR_SECRET: "s".repeat(32), SANDBAR_MAIL_KEY: "k" });
    expect(existing.secrets).not.toContain("SANDBAR_SECRET_OLD");
    await run({}, false, { environment, write });
    expect(JSON.parse(stored[1] ?? "")).toEqual({ SANDBAR_MAIL_KEY: "k" });
  });

  test("missing for a setting stop the deployment", async () => {
    const { ran, run } = account();
    await expect(run({ github: { clientId: "x" } }, false)).rejects.toThrow(/SANDBAR_GITHUB_CLIENT_SECRET/);
    expect(ran.some((line) => line.startsWith("deploy "))).toBe(false);
  });
});

describe("the place of data", () => {
  test("is that of new databases, the bucket, and Durable Objects", async () => {
    const { ran, files, run } = account();
    await run({ jurisdiction: "eu" }, false);
    expect(ran).toContain("d1 create sandbar --jurisdiction eu");
    expect(ran).toContain("r2 bucket create sandbar --jurisdiction eu");
    expect(files.get("configuration")).toMatch(/bucket_name = "sandbar"\njurisdiction = "eu"/);
    expect(files.get("configuration")).toContain('SANDBAR_JURISDICTION = "eu"');
    const hinted = account();
    await hinted.run({ location: "weur" }, false);
    expect(hinted.ran).toContain("d1 create sandbar --location weur");
    expect(hinted.files.get("configuration")).toContain('SANDBAR_LOCATION = "weur"');
  });

  test("cannot change to another jurisdiction, because all sandboxes would be lost", async () => {
    const { ran, run } = account();
    await run({ jurisdiction: "eu" }, false);
    const before = ran.length;
    await expect(run({}, false)).rejects.toThrow(/with the jurisdiction eu, and cannot have none/);
    expect(ran.slice(before).filter((line) => changes.test(line))).toEqual([]);
  });
});

describe("the smoke test", () => {
  test("makes, reads and deletes a sandbox with the new tenant's key", async () => {
    const { said: outputLines, deployment } = account();
    const fetch = serviceFetch();
    await deploy({ ...deployment({ tenant: "ada" }, false), smoke: { fetch, wait: async () => undefined } });
    const requests = fetch.mock.calls.map(([url, { method = "GET" }]) => `${method} ${url}`);
    expect(requests).toEqual([
      "GET https://sandbar.example.workers.dev/healthz",
      "GET https://sandbar.example.workers.dev/v1/openapi.json",
      "GET https://sandbar.example.workers.dev/",
      "POST https://sandbar.example.workers.dev/v1/sandboxes",
      "GET https://sandbar.example.workers.dev/c/box/api/v1/nodes",
      "DELETE https://sandbar.example.workers.dev/v1/sandboxes/box",
    ]);
    expect(outputLines.at(-1)).toBe("Done.");
  });

  test.each([
    ["does not answer", { "/healthz": () => new Response(null, { status: 522 }) }, /does not answer .* 522/],
    ["is another", { "/v1/openapi.json": () => Response.json({ info: { version: "1" } }) }, /another Worker answers/],
    ["has no nodes", { "/c/box/api/v1/nodes": () => Response.json({ items: [] }) }, /lists 0/],
    ["refuses", { "/v1/sandboxes": () => new Response("no room", { status: 507 }) }, /answers 507: no room/],
  ])("fails if the service %s", async (_, broken, why) => {
    const { deployment } = account();
    const fetch = serviceFetch(broken);
    const smoke = { fetch, wait: async () => undefined };
    await expect(deploy({ ...deployment({ tenant: "ada" }, false), smoke })).rejects.toThrow(why);
    const deleted = fetch.mock.calls.some(([, { method }]) => method === "DELETE");
    expect(deleted).toBe("/c/box/api/v1/nodes" in broken);
  });
});

describe("a roll-out", () => {
  test("is tried at the new version, whatever its share", async () => {
    const { run, deployment } = account();
    await run({}, false);
    const fetch = serviceFetch();
    const smoke = { fetch, wait: async () => undefined };
    await deploy({ ...deployment({ tenant: "ada" }, false), smoke, percent: 10 });
    const versions = fetch.mock.calls.map(([, { headers }]) =>
      new Headers(headers).get("Cloudflare-Workers-Version-Overrides"),
    );
    expect(new Set(versions)).toEqual(new Set(['sandbar="v2"']));
    expect(versions.length).toBeGreaterThan(5);
  });

  test("gives a new version a share, raises it, and ends with all of the traffic", async () => {
    const { there: existing, ran, run, deployment } = account();
    await run({}, false);
    await run({}, false, { percent: 10 });
    expect(ran).toContain("versions deploy v2@10 v1@90 --name sandbar --yes");
    expect(existing.deployments[0]).toEqual([
      ["v2", 10],
      ["v1", 90],
    ]);
    await expect(run({}, false, { percent: 10 })).rejects.toThrow(/a roll-out is in progress/);
    await promote(deployment({}, false), 50);
    await expect(promote(deployment({}, false), 20)).rejects.toThrow(/has 50 % already/);
    await promote(deployment({}, false), 100);
    expect(existing.deployments[0]).toEqual([["v2", 100]]);
    await expect(promote(deployment({}, false), 100)).rejects.toThrow(/no roll-out is in progress/);
  });

  test("needs a service that is deployed already", async () => {
    const { ran, run } = account();
    await expect(run({}, false, { percent: 10 })).rejects.toThrow(/deploy it without --percent first/);
    expect(ran.filter((line) => changes.test(line))).toEqual([]);
  });
});

describe("a rollback", () => {
  test("is tried too, also if the earlier version has an earlier API", async () => {
    const { deployment, said: outputLines } = account();
    const fetch = serviceFetch({ "/v1/openapi.json": () => Response.json({ info: { version: "2020-01-01" } }) });
    const smoke = { fetch, wait: async () => undefined };
    await tryService({ ...deployment({ domain: "box.example.org" }, false), smoke }, { isEarlier: true });
    expect(outputLines).toContain(
      "smoke test: https://box.example.org answers, with the API of 2020-01-01 and the console",
    );
    await expect(tryService({ ...deployment({ domain: "box.example.org" }, false), smoke }, {})).rejects.toThrow(
      /another Worker answers/,
    );
  });

  const back = (of: ReturnType<typeof account>, to?: string, isForced = false) =>
    rollback(of.deployment({}, false), { to, isForced });

  test("returns to the version before, and ends a roll-out", async () => {
    const service = account();
    await service.run({}, false);
    await service.run({}, false);
    await back(service);
    expect(service.there.deployments[0]).toEqual([["v1", 100]]);
    await service.run({}, false, { percent: 10 });
    await back(service);
    expect(service.there.deployments[0]).toEqual([["v1", 100]]);
  });

  test("is refused to a version that cannot read what is stored, unless it is forced", async () => {
    const service = account();
    await service.run({}, false);
    await service.run({}, false);
    const [first] = service.there.versions;
    const older = { ...storedVersions, sandbox: (storedVersions["sandbox"] ?? 0) - 1 };
    if (first) service.there.versions[0] = { ...first, message: messageOf("0.0.9", older) };
    await expect(back(service)).rejects.toThrow(/not rolled back/);
    expect(service.said.at(-1)).toMatch(/v1 cannot read sandbox: it reads up to version \d+/);
    if (first) service.there.versions[0] = { ...first, message: "by hand" };
    await expect(back(service)).rejects.toThrow(/not rolled back/);
    expect(service.there.deployments[0]).toEqual([["v2", 100]]);
    await back(service, "v1", true);
    expect(service.there.deployments[0]).toEqual([["v1", 100]]);
  });

  test("compares the numbers of the messages that deployments write", () => {
    expect(versionsIn(messageOf("0.1.0", storedVersions))).toEqual(storedVersions);
    expect(versionsIn("fixed a bug")).toBeUndefined();
    expect(unreadableBy({ sandbox: 9 }, { sandbox: 9, tenant: 1 })).toEqual([
      "tenant: it reads up to version 0, and version 1 is stored",
    ]);
  });
});

describe("environments", () => {
  const file = {
    domain: "box.example.org",
    wildcard: true,
    plan: "team",
    environments: { staging: { domain: "staging.example.org", plan: "free" }, preview: {} },
  };

  test("have names of their own, and neither domain nor data of the service", () => {
    const staging = parseSettings(file, "staging");
    expect(staging).toMatchObject({ name: "sandbar-staging", database: "sandbar-staging", bucket: "sandbar-staging" });
    expect(staging).toMatchObject({ domain: "staging.example.org", plan: "free" });
    expect(staging.wildcard).toBeUndefined();
    expect(parseSettings(file, "preview")).toMatchObject({ plan: "team" });
    expect(parseSettings(file, "preview").domain).toBeUndefined();
    expect(parseSettings(file)).toMatchObject({ name: "sandbar", domain: "box.example.org" });
    const [text, serviceText] = [staging, parseSettings(file)].map((settings) =>
      configurationOf(toml, settings, new Map()),
    );
    expect(/namespace_id = (.*)/.exec(text ?? "")?.[1]).not.toBe(/namespace_id = (.*)/.exec(serviceText ?? "")?.[1]);
  });

  test.each([
    [file, "production", "there is no environment production in the settings, only staging, preview"],
    [{ name: "A" }, undefined, "name: must consist of lower case letters"],
    [{ environments: { a: { nodes: 1 } } }, "a", 'Unrecognized key: "nodes"'],
    [{ wildcard: true }, undefined, "wildcard: needs a domain"],
    [{ jurisdiction: "eu", location: "weur" }, undefined, "location: has no effect with a jurisdiction"],
  ])("are refused with a sentence (%#)", (settings, environment, why) => {
    expect(() => parseSettings(settings, environment)).toThrow(why);
  });
});

describe("the deployment's configuration", () => {
  test("has the deployment's names, routes and variables, and the project's other settings", () => {
    const settings = deploySettings.parse({
      name: "mine",
      domain: "box.example.org",
      wildcard: true,
      trial: true,
      databases: 2,
    });
    const text = configurationOf(
      toml,
      settings,
      new Map([
        ["sandbar", "a"],
        ["sandbar-1", "b"],
      ]),
    );
    expect(text).toContain(
      'name = "mine"\nkeep_vars = true\nroutes = [{ pattern = "box.example.org", custom_domain = true }, { pattern = "*.box.example.org/*", zone_name = "example.org" }]',
    );
    expect(text).toContain('binding = "DB_1"\ndatabase_name = "sandbar-1"\ndatabase_id = "b"');
    expect(text).toContain('SANDBAR_DOMAIN = "box.example.org"');
    // Variables set elsewhere are kept, but not the state of a growth.
    expect(text).toMatch(/^keep_vars = true$/m);
    expect(text).toContain('SANDBAR_DATABASES_BEFORE = ""');
    expect(configurationOf(toml, { ...settings, cpuMs: 60_000 }, new Map())).toContain("[limits]\ncpu_ms = 60000");
    expect(text.match(/\[\[d1_databases\]\]/g)).toHaveLength(2);
    expect(text.match(/\[\[r2_buckets\]\]/g)).toHaveLength(1);
    for (const setting of [
      'new_sqlite_classes = ["TenantObject"]',
      "crons = ",
      "[observability]",
      "compatibility_flags",
    ]) {
      expect(text).toContain(setting);
    }
  });

  test("is asked interactively without a file, and empty answers get defaults", () => {
    expect(
      settingsOf({ name: "", domain: "box.example.org", wildcard: "yes", plan: "", trial: "no", tenant: "" }),
    ).toMatchObject({
      name: "sandbar",
      wildcard: true,
      trial: false,
    });
    expect(() => settingsOf({ domain: "no domain" })).toThrow();
    expect(() => settingsOf({ tenant: "a'; DROP TABLE tenants" })).toThrow();
  });
});
