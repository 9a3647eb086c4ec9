// The command `sandbar dev`: runs the service on this machine, from the package of the local service or from a checkout. That package is
// separate, so that users of this one do not download workerd.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Surroundings } from "./command-run.ts";

const missing = 1;
/** See `scripts/release/names.ts`. */
const localPackage = "@sandbar-dev/local";

/** Runs the service until it ends or is interrupted. Returns the exit code. */
export async function dev(around: Pick<Surroundings, "environment" | "folder" | "version" | "say" | "signal">) {
  const { environment, folder, version, say, signal } = around;
  const program = startOf(environment["SANDBAR_HOME"], folder);
  if (program === undefined) {
    say(
      environment["SANDBAR_HOME"] === undefined
        ? `the service is not in this package: run this in a checkout of Sandbar, name one with SANDBAR_HOME, or install the file ${fileOf(version)} of the release`
        : `${environment["SANDBAR_HOME"]}, which SANDBAR_HOME names, is no checkout of Sandbar`,
    );
    return missing;
  }
  const child = spawn(process.execPath, [program, "dev"], { stdio: "inherit", env: environment });
  const end = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  return new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 0));
  });
}

/** Returns the name of the packed service in a release. */
function fileOf(version: string): string {
  return `${localPackage.slice(1).replace("/", "-")}-${version}.tgz`;
}

/** Returns the start script of a given checkout, of the folder itself, or of the installed package. */
function startOf(named: string | undefined, folder: string): string | undefined {
  if (named !== undefined) return isCheckout(named) ? join(named, "scripts/start.cjs") : undefined;
  if (isCheckout(folder)) return join(folder, "scripts/start.cjs");
  return installedBeside(join(folder, "package.json")) ?? installedBeside(import.meta.url);
}

function installedBeside(file: string): string | undefined {
  try {
    return join(dirname(createRequire(file).resolve(`${localPackage}/package.json`)), "start.cjs");
  } catch {
    return undefined;
  }
}

function isCheckout(folder: string): boolean {
  const path = join(folder, "package.json");
  if (!existsSync(path) || !existsSync(join(folder, "scripts/start.cjs"))) return false;
  return (JSON.parse(readFileSync(path, "utf8")) as { name?: string }).name === "sandbar";
}
