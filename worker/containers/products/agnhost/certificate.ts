// The certificate with which agnhost's servers answer over TLS: the image's own, or one that is mounted.
import { absolute } from "../../shell/files.ts";
import type { ProgramCall } from "../../shell/program.ts";

/** Whether the files that its variables name are there; the image brings its own. */
export function isMounted({ shell, process }: ProgramCall): boolean {
  return ["CERT_FILE", "KEY_FILE"].every((name) => {
    const path = shell.variables.get(name);
    return !path || process.files.get(absolute(path, shell.folder))?.text !== undefined;
  });
}
