// The environment of a deployment on this machine: wrangler, the project's files, and the terminal.
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build.ts";
import type { Deployment } from "./steps.ts";

export const surroundings: Omit<Deployment, "settings" | "isDry"> = {
  wrangler,
  toml: readFileSync(join(root, "wrangler.toml"), "utf8"),
  // Beside wrangler.toml, to which its paths are relative.
  paths: { configuration: join(root, "wrangler.deploy.toml"), secrets: join(root, ".wrangler.secrets.json") },
  write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
  remove: (path) => rmSync(path, { force: true }),
  say: (line) => console.log(line),
  nowMs: Date.now,
};

/** Runs wrangler, and shows its error output. */
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
