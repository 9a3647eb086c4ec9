// Files that only their owner may read: keys, secrets, kubeconfigs.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Refusal } from "./refusal.ts";

/** Reads a file that can be created again. Returns undefined if it does not exist or is empty. */
export function readIfThere(path: string): string | undefined {
  return read(path) || undefined;
}

/**
 * Reads a file. Returns undefined if it does not exist. Throws a `Refusal` if it is empty: its content is lost, and a new one would
 * invalidate everything that was created with it.
 */
export function readPrivate(path: string): string | undefined {
  const text = read(path);
  if (text === "") {
    throw new Refusal(
      `The file ${path} is empty: put back what was in it, or remove the whole data folder to start anew.`,
    );
  }
  return text;
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

/** Writes a file atomically: a crash leaves the old file. */
export function writePrivate(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o600, flush: true });
  renameSync(next, path);
}

/** Returns the file's content. The first time, writes what `make` returns. */
export function keepPrivate(path: string, make: () => string): string {
  const stored = readPrivate(path);
  if (stored) return stored;
  const created = make();
  writePrivate(path, `${created}\n`);
  return created;
}
