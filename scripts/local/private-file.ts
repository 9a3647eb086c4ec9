// Files that only their owner may read: keys, secrets, kubeconfigs.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Refusal } from "./refusal.ts";

/** Undefined where there is none, or nothing in it: for what may be made again. */
export function readIfThere(path: string): string | undefined {
  return read(path) || undefined;
}

/**
 * Undefined where there is none. Throws a `Refusal` for an empty one: what was in it is lost, and another in its place would make
 * worthless whatever was made with it.
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

/** Whole or not at all: a crash leaves the old file. */
export function writePrivate(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o600, flush: true });
  renameSync(next, path);
}

/** The file's content; the first time, what `make` gives. */
export function keepPrivate(path: string, make: () => string): string {
  const kept = readPrivate(path);
  if (kept) return kept;
  const made = make();
  writePrivate(path, `${made}\n`);
  return made;
}
