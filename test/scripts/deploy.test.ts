// `npm run deploy`: its dry run, its steps, and upgrades. Wrangler is a fake.
import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configurationOf } from "../../scripts/deploy/configuration.ts";
import { deploySettings, settingsOf } from "../../scripts/deploy/settings.ts";
import { deploy } from "../../scripts/deploy/steps.ts";

const toml = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");

/** Returns a fake account that records what was created in it. */
function account(secrets?: () => string) {
  const existing = {
    databases: [] as string[],
    buckets: [] as string[],
    secrets: [] as string[],
    isDeployed: false,
    keys: 0,
  };
  const ran: string[] = [];
  const files = new Map<string, string>();
  const outputLines: string[] = [];
  const wrangler = async (words: readonly string[]): Promise<string> => {
    ran.push(words.join(" "));
    const [first, second, third = ""] = words;
    switch (`${first} ${second}`) {
      case "d1 list":
        return JSON.stringify(existing.databases.map((name, at) => ({ name, uuid: `id-${at}` })));
      case "d1 create":
        existing.databases.push(third);
        return "";
      case "d1 execute": {
        const sql = words.at(-1) ?? "";
        if (sql.startsWith("SELECT")) return JSON.stringify([{ results: [{ n: existing.keys }] }], undefined, 2);
        existing.keys += 1;
        return "[]";
      }
      case "r2 bucket":
        if (third === "create") existing.buckets.push(words[3] ?? "");
        return existing.buckets.map((name) => `name:           ${name}\ncreation_date:  2026\n`).join("\n");
      case "secret list":
        if (secrets) return secrets();
        if (!existing.isDeployed) throw new Error("Worker not found [code: 10007]");
        return JSON.stringify(existing.secrets.map((name) => ({ name, type: "secret_text" })));
      default:
        if (first !== "deploy") return "";
        existing.isDeployed = true;
        if (words.includes("--secrets-file"))
          existing.secrets.push(...Object.keys(JSON.parse(files.get("secrets") ?? "{}") as object));
        return "";
    }
  };
  const run = (settings: object, isDry: boolean) =>
    deploy({
      settings: deploySettings.parse(settings),
      isDry,
      wrangler,
      toml,
      paths: { configuration: "configuration", secrets: "secrets" },
      write: (path, text) => void files.set(path, text),
      remove: (path) => void files.delete(path),
      say: (line) => void outputLines.push(line),
      nowMs: () => 0,
    });
  return { there: existing, ran, files, said: outputLines, run };
}

const changes = /create|apply|execute|^deploy/;

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
      "deploy --config configuration --secrets-file secrets",
      // Keys stand in the first.
      "sandbar SELECT",
      "sandbar INSERT",
    ]);
    expect(existing.secrets).toEqual(["SANDBAR_SECRET", "SANDBAR_OPERATOR_KEY"]);
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
      "deploy --config configuration",
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
      expect([ran.some((line) => line.startsWith("deploy")), files.has("secrets")]).toEqual([false, false]);
    },
  );
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
      'name = "mine"\nroutes = [{ pattern = "box.example.org", custom_domain = true }, { pattern = "*.box.example.org/*", zone_name = "example.org" }]',
    );
    expect(text).toContain('binding = "DB_1"\ndatabase_name = "sandbar-1"\ndatabase_id = "b"');
    expect(text).toContain('SANDBAR_DOMAIN = "box.example.org"');
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
      plan: "free",
      trial: false,
    });
    expect(() => settingsOf({ domain: "no domain" })).toThrow();
    expect(() => settingsOf({ tenant: "a'; DROP TABLE tenants" })).toThrow();
  });
});
