// The recipe of docs/operators.md: the bench finds what a crash between two writes does, and its printed command repeats it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { buildClient } from "../../scripts/client/build.ts";
import { findKubectls } from "./binaries.ts";
import { projectRoot } from "./service.ts";

const page = readFileSync(join(projectRoot, "docs/operators.md"), "utf8");
const [first] = findKubectls();

beforeAll(async () => {
  if (!existsSync(join(projectRoot, "dist/client/sandbar.js"))) await buildClient(projectRoot);
});

function blockOf(name: string): string {
  const block = new RegExp(`^\`\`\`${name}\n([^]*?)\n\`\`\`$`, "m").exec(page)?.[1];
  expect(block, name).toBeDefined();
  return block ?? "";
}

describe.skipIf(!first)("the recipes of docs/operators.md", () => {
  test("a crash between two writes is found, and repeated by the printed command", { timeout: 400_000 }, () => {
    const { http, apiKey, data } = inject("service");
    const folder = mkdtempSync(join(data, "operators-"));
    const command = join(folder, "sandbar");
    writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${projectRoot}/dist/client/sandbar.js "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(folder, "orders.mjs"), blockOf("js orders.mjs"));
    const run = (script: string) =>
      spawnSync("bash", ["-c", script], {
        cwd: folder,
        encoding: "utf8",
        env: {
          ...process.env,
          PATH: `${folder}:${process.env.PATH ?? ""}`,
          SANDBAR_URL: http,
          SANDBAR_API_KEY: apiKey,
        },
      });
    const { status, stdout, stderr } = run(blockOf("sh orders"));
    expect(status, stdout + stderr).toBe(1);
    expect(stdout.match(/^Plan .*$/gm)).toEqual(["Plan 1: crash after create of secrets order-a, created"]);
    expect(stdout).toContain("- configmaps default/order-a is missing\n");
    const repeat = /^ {2}repeat: (.*)$/m.exec(stdout)?.[1] ?? "";
    const again = run(repeat);
    expect(again.status, again.stdout + again.stderr).toBe(1);
    expect(again.stdout).toContain("- configmaps default/order-a is missing\n");
  });
});
