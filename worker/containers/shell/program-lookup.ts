// Checks whether a program can be run.
import type { Files } from "./files.ts";
import type { Shell } from "./shell.ts";
import { isBuiltin, isOnlyBuiltin } from "../../../shared/shell/builtins/names.ts";

/** Names of programs that say that they do not exist. */
export const absentNames = /does-?not-?exist|non-?existent|not-?found|no-?such/;

/** Reports whether a package manager installed the program. */
export function isInstalled(files: Files, program: string): boolean {
  return files.has(`/usr/bin/${program}`);
}

interface Environment {
  readonly process: { readonly programs: ReadonlySet<string> | undefined; readonly files: Files };
  readonly dialect?: Shell["dialect"];
  readonly isStrict?: boolean;
}

/** Reports whether a program can be started: by its name if the image is known, by its path if the file exists. `alone`: without a shell. */
export function isThere(
  { process, dialect = "ash", isStrict = false }: Environment,
  path: string,
  alone = false,
): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (absentNames.test(name)) return false;
  if (!alone && path === name && isBuiltin({ dialect, isStrict }, name)) return true;
  // No image has programs in these folders, only files that were created there.
  if (/^\/(tmp|var\/tmp|dev\/shm)\//.test(path)) return process.files.has(path);
  if (!process.programs) return alone ? !isOnlyBuiltin(name) : isStrict ? !isOnlyBuiltin(name) : true;
  if (process.programs.has(path)) return true;
  return (
    (process.programs.has(name) || isInstalled(process.files, name)) &&
    /^([^/]*|\/(usr\/)?(local\/)?s?bin\/[^/]*)$/.test(path)
  );
}
