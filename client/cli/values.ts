// Parses values of the command line and its environment: numbers, times, labels, files, and the API key.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** An error in the command line. */
export class UsageError extends Error {
  override name = "UsageError";
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 24 * 3600 };

/** Parses seconds: `90`, `90s`, `30m`, `12h`, `7d`. */
export function secondsOf(text: string, option: string): number {
  const [, number, unit = "s"] = /^(\d+)([smhd]?)$/.exec(text) ?? [];
  if (number === undefined)
    throw new UsageError(`${option} must be a time such as 90s, 30m, 12h or 7d, not ${JSON.stringify(text)}`);
  return Number(number) * (seconds[unit || "s"] ?? 1);
}

export function numberOf(text: string, option: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${option} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

export function labelsOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const at = text.indexOf("=");
      if (at <= 0) throw new UsageError(`--label must be key=value, not ${JSON.stringify(text)}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** Reads a file; `-` is standard input. */
export function textOf(path: string): string {
  return readInput(path).toString("utf8");
}

export function readInput(path: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(path === "-" ? 0 : path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Returns the API key: `SANDBAR_API_KEY`, else the file `api-key` in the folder `SANDBAR_DATA`, else the file `.sandbar/api-key` of the
 * nearest folder that has one, from `folder` upwards.
 */
export function apiKey(environment: NodeJS.ProcessEnv, folder: string): string | undefined {
  if (environment["SANDBAR_API_KEY"]) return environment["SANDBAR_API_KEY"];
  const dataFolder = environment["SANDBAR_DATA"];
  if (dataFolder && existsSync(join(dataFolder, "api-key")))
    return readFileSync(join(dataFolder, "api-key"), "utf8").trim();
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, ".sandbar", "api-key");
    if (existsSync(path)) return readFileSync(path, "utf8").trim();
    if (dirname(at) === at) return undefined;
  }
}
