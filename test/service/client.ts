// The package `sandbar` as it would be published: built, packed, and installed into a folder of its own.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { projectRoot, type ServiceAddress } from "./service.ts";

export interface Installed {
  readonly folder: string;
  /** Runs the command line there; `input` is what it reads. */
  sandbar(words: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs a program of JavaScript there. */
  node(text: string): Promise<Outcome>;
  remove(): void;
}

export interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function installClient(service: ServiceAddress): Promise<Installed> {
  const built = join(projectRoot, "dist/client");
  if (!process.env["SANDBAR_SKIP_BUILD"] || !existsSync(built)) await buildClient(projectRoot);
  const folder = mkdtempSync(join(tmpdir(), "sandbar-client-"));
  const quiet = { cwd: folder, stdio: "pipe" } as const;
  execFileSync("npm", ["pack", built, "--silent"], quiet);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), '{ "name": "user", "private": true, "type": "module" }\n');
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", join(folder, archive)], quiet);
  const environment = { ...process.env, SANDBAR_URL: service.http, SANDBAR_API_KEY: service.apiKey };
  const run = (words: readonly string[], { input, environment: more = {} }: RunOptions = {}) =>
    new Promise<Outcome>((done) => {
      const options = { cwd: folder, env: { ...environment, ...more } };
      const child = execFile(process.execPath, [...words], options, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      // It may have ended without reading.
      child.stdin?.on("error", () => undefined).end(input ?? "");
    });
  return {
    folder,
    sandbar: (words, options) => run([join(folder, "node_modules/.bin/sandbar"), ...words], options),
    node: (text) => {
      const path = join(folder, "program.mjs");
      writeFileSync(path, text);
      return run([path]);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
