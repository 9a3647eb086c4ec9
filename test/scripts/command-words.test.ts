// The commands of a checkout refuse wrong words with their usage, and say what is missing without a stack trace.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { askSettings } from "../../scripts/deploy/ask.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "command-words-"));
afterAll(() => rmSync(folder, { recursive: true }));

function command(script: string, ...words: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...words], {
    cwd: folder,
    encoding: "utf8",
    env,
    input: "",
  });
  return { status, text: stdout + stderr };
}

describe("a command", () => {
  test("refuses a wrong word with its usage", () => {
    const { status, text } = command("scripts/rotate-secret.ts", "--nothing");
    expect(text).toMatch(/^Unknown option '--nothing'\n\nUsage: /);
    expect(text).not.toMatch(/^ {4}at /m);
    expect(status).toBe(2);
  });

  test("reads its words with the function that refuses wrong ones", () => {
    const commands = globSync(["bench/*.ts", "scripts/*.ts", "scripts/*/main.ts"], { cwd: root });
    const parsing = commands.filter((path) => readFileSync(join(root, path), "utf8").includes("parseArgs("));
    // `deploy.ts` checks more words than options.
    expect(parsing.sort()).toEqual(["scripts/command-words.ts", "scripts/deploy.ts"]);
  });

  test.each([
    ["scripts/deploy.ts", ["--dry-run"], "The input ended before the last answer"],
    [
      "scripts/conformance/main.ts",
      ["run", "nothing"],
      "has no e2e.test and no ginkgo: run `npm run conformance -- build",
    ],
  ])("%s %j explains what is missing", (script, words, reason) => {
    const { status, text } = command(script, ...words);
    expect(text).toContain(reason);
    expect(text).not.toMatch(/^ {4}at /m);
    expect(status).toBe(1);
  });
});

describe("the questions of a deployment", () => {
  test("take lines of a pipe that come at once", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end("box\nbox.example.org\nyes\neu\n\n\nada\n");
    const settings = await askSettings(input, output);
    expect(settings).toMatchObject({
      name: "box",
      domain: "box.example.org",
      wildcard: true,
      jurisdiction: "eu",
      tenant: "ada",
    });
    expect(String(output.read())).toContain("Name of the Worker (sandbar): Domain of the service");
  });

  test("refuse an input that ends before the last answer", async () => {
    const input = new PassThrough();
    input.end("box\n");
    await expect(askSettings(input, new PassThrough())).rejects.toThrow("--file deploy.json");
  });
});
