// Files that only their owner may read: keys, secrets, kubeconfigs.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

export function readPrivate(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

/** Whole or not at all: a crash leaves the old file. */
export function writePrivate(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o600 });
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
