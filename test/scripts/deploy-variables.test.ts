// The table of variables: complete against what the service reads, and against the documentation.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deploySettings } from "../../scripts/deploy/settings.ts";
import { type Variable, valuesOf, variables } from "../../scripts/deploy/variables.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const namesIn = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? "")),
];
const named = (...where: Variable["where"][]) =>
  variables.filter((variable) => where.includes(variable.where)).map(({ name }) => name);

describe("the table of variables", () => {
  test("has every variable that the Worker reads", () => {
    const files = globSync(["worker/**/*.ts", "shared/**/*.ts"], { cwd: root }).map((path) => read(path));
    const inWorker = namesIn(files.join("\n"), /\b(SANDBAR_[A-Z_]+)\b/g);
    const listed = variables.map(({ name }) => name as string);
    expect(inWorker.filter((name) => !listed.includes(name))).toEqual([]);
    expect(named("both", "Worker", "own").filter((name) => !inWorker.includes(name))).toEqual([]);
  });

  test("has every variable that a local service reads, and the local service passes on those of both", () => {
    const files = globSync(["scripts/local/**/*.ts", "scripts/start.cjs"], { cwd: root }).map((path) => read(path));
    const text = files.join("\n");
    const inScripts = namesIn(text, /(?:environment|env)\??\.(SANDBAR_[A-Z_]+)|\b(?:SANDBAR_LOCAL_KEY)\b/g).filter(
      Boolean,
    );
    expect(inScripts.filter((name) => !named("local", "both").includes(name as Variable["name"]))).toEqual([]);
    const missing = named("local", "both").filter((name) => !text.includes(name));
    expect(missing).toEqual([]);
  });

  test("is the table of docs/configuration.md, with the settings of deploy.json", () => {
    const rows = read("docs/configuration.md")
      .split("\n")
      .filter((line) => line.startsWith("| `SANDBAR_"))
      .flatMap((line) => {
        const cells = line.split("|").map((cell) => cell.trim());
        const settings = (cells[5] ?? "").replaceAll("`", "").split(", ");
        return namesIn(cells[1] ?? "", /`(SANDBAR_[A-Z_]+)`/g).map((name, at) => [
          name,
          cells[4],
          settings[at] ?? settings[0] ?? "",
        ]);
      });
    const expected = variables
      .filter(({ where }) => where !== "own")
      .map(({ name, where, setting = "" }) => [name, where, setting]);
    expect(rows.sort()).toEqual(expected.sort());
  });

  test("names a setting of deploy.json for each value that a deployment writes", () => {
    const fields = Object.keys(deploySettings.shape);
    for (const { name, setting, value, isSecret } of variables) {
      expect([name, setting !== undefined && setting !== "environment"]).toEqual([name, value !== undefined]);
      if (value) expect(fields, name).toContain(setting?.split(".")[0]);
      if (setting === "environment") expect([name, isSecret]).toEqual([name, true]);
    }
  });

  test("leaves alone what the settings do not name, and clears what they set to null", () => {
    expect(valuesOf(deploySettings.parse({}))).toEqual([]);
    const cleared = {
      limits: null,
      github: null,
      mail: null,
      signUp: null,
      clientCertificates: null,
      plan: null,
      trial: null,
    };
    const values = new Map(valuesOf(deploySettings.parse({ ...cleared, wildcard: false })));
    for (const name of ["LIMITS", "GITHUB_CLIENT_ID", "GITHUB_URL", "MAIL", "SIGN_UP", "PLAN", "TRIAL", "DOMAIN"])
      expect([name, values.get(`SANDBAR_${name}`)]).toEqual([name, ""]);
    const set = {
      plan: "team",
      trial: 20,
      limits: { objects: 5 },
      github: { clientId: "x" },
      domain: "a.example.org",
      wildcard: true,
    };
    expect(Object.fromEntries(valuesOf(deploySettings.parse(set)))).toMatchObject({
      SANDBAR_PLAN: "team",
      SANDBAR_TRIAL: "20",
      SANDBAR_LIMITS: '{"objects":5}',
      SANDBAR_GITHUB_CLIENT_ID: "x",
      SANDBAR_SERVER: "https://a.example.org",
      SANDBAR_DOMAIN: "a.example.org",
    });
  });
});
