// `node scripts/sdks.ts [go] [python] [java]`: runs the tests of the packages for other languages, with the languages' own tools, beside
// the service of SANDBAR_URL and SANDBAR_API_KEY (default: that of `npm start`). Not part of `npm test`.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./build.ts";

const work = mkdtempSync(join(tmpdir(), "sandbar-sdks-"));
const python = join(work, "venv/bin/python");
const packages: Readonly<Record<string, readonly (readonly string[])[]>> = {
  go: [
    ["go", "vet", "./..."],
    ["go", "test", "-count=1", "./..."],
  ],
  python: [
    ["python3", "-m", "venv", join(work, "venv")],
    [python, "-m", "pip", "-q", "install", "--editable", "."],
    [python, "-m", "pytest", "-q", "tests"],
  ],
  java: [["mvn", "-q", "-B", "test"]],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(packages, name));
if (unknown.length > 0) {
  console.error(`There is no package ${unknown.join(", ")}; there are ${Object.keys(packages).join(", ")}.`);
  process.exit(1);
}
const keyFile = join(process.env.SANDBAR_DATA ?? join(root, ".sandbar"), "api-key");
const env = {
  ...process.env,
  SANDBAR_URL: process.env.SANDBAR_URL ?? "http://localhost:8787",
  SANDBAR_API_KEY: process.env.SANDBAR_API_KEY ?? (existsSync(keyFile) ? readFileSync(keyFile, "utf8").trim() : ""),
};
for (const [name, commands] of Object.entries(packages)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`\n${name}`);
  const cwd = join(root, "sdk", name);
  const isFine = commands.every(
    ([program = "", ...words]) => spawnSync(program, words, { cwd, env, stdio: "inherit" }).status === 0,
  );
  console.log(`${isFine ? "✓" : "✗"} ${name}`);
  if (!isFine) process.exitCode = 1;
}
rmSync(work, { recursive: true, force: true });
// Removes the files that pip leaves beside the sources of an editable package.
execFileSync("git", ["clean", "-qfdX", "sdk"], { cwd: root });
