// The environment of a deployment on this machine: wrangler, the project's files, and the terminal.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../build.ts";
import type { Deployment } from "./steps.ts";
import { type WranglerEvent, wranglerEvent } from "./wrangler.ts";

/** The file in which wrangler records what it has uploaded. */
const eventsFile = join(mkdtempSync(join(tmpdir(), "sandbar-deploy-")), "events.ndjson");

/** Returns the environment of a deployment. `environment`: the name of another environment than the service itself. */
export function surroundingsOf(environment?: string): Omit<Deployment, "settings" | "isDry" | "percent"> {
  const suffix = environment === undefined ? "" : `.${environment}`;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  return {
    wrangler,
    toml: readFileSync(join(root, "wrangler.toml"), "utf8"),
    version,
    environment: process.env,
    // Beside wrangler.toml, to which its paths are relative.
    paths: {
      configuration: join(root, `wrangler.deploy${suffix}.toml`),
      secrets: join(root, ".wrangler.secrets.json"),
    },
    write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
    remove: (path) => rmSync(path, { force: true }),
    say: (line) => console.log(line),
    nowMs: Date.now,
    events,
    smoke: { wait: (ms) => wait(ms), fetch: (url, init) => fetch(url, init) },
  };
}

function events(): WranglerEvent[] {
  if (!existsSync(eventsFile)) return [];
  const lines = readFileSync(eventsFile, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => wranglerEvent.parse(JSON.parse(line)));
}

/** Runs wrangler, and shows its error output. */
function wrangler(words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: root,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_OUTPUT_FILE_PATH: eventsFile, CI: "1" },
    };
    execFile(join(root, "node_modules/.bin/wrangler"), [...words], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(new Error(`wrangler ${words.slice(0, 3).join(" ")} failed:\n${stdout}${stderr}`));
    });
  });
}
