// `npm run deploy`: asks or reads what is wanted, shows what would be done, and does it with `--yes`. `--file <path>` names a file of JSON.
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { root } from "./build.ts";
import { type DeploySettings, deploySettings, questions, settingsOf } from "./deploy/settings.ts";
import { deploy } from "./deploy/steps.ts";

const { values } = parseArgs({
  options: { file: { type: "string" }, yes: { type: "boolean" }, "dry-run": { type: "boolean" } },
});

try {
  process.exitCode = await deploy({
    settings:
      values.file === undefined ? await asked() : deploySettings.parse(JSON.parse(readFileSync(values.file, "utf8"))),
    isDry: values.yes !== true || values["dry-run"] === true,
    wrangler,
    toml: readFileSync(join(root, "wrangler.toml"), "utf8"),
    // Beside wrangler.toml, whose paths are meant from there.
    paths: { configuration: join(root, "wrangler.deploy.toml"), secrets: join(root, ".wrangler.secrets.json") },
    write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
    remove: (path) => rmSync(path, { force: true }),
    say: (line) => console.log(line),
    nowMs: Date.now,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function asked(): Promise<DeploySettings> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string> = {};
  for (const { field, text } of questions) answers[field] = (await terminal.question(text)).trim();
  terminal.close();
  return settingsOf(answers);
}

/** What it says beside its answer is shown. */
function wrangler(words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: root,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
    };
    execFile(join(root, "node_modules/.bin/wrangler"), [...words], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(new Error(`wrangler ${words.slice(0, 3).join(" ")} failed:\n${stdout}${stderr}`));
    });
  });
}
