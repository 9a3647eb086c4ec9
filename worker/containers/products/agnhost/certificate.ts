// The certificate of agnhost's TLS servers: the image's own, or a mounted one.
import { absolute } from "../../shell/files.ts";
import type { ProgramCall } from "../../shell/program.ts";

/** Reports whether the files exist that its variables name. The image has files of its own. */
export function isMounted({ shell, process }: ProgramCall): boolean {
  return ["CERT_FILE", "KEY_FILE"].every((name) => {
    const path = shell.variables.get(name);
    return !path || process.files.get(absolute(path, shell.folder))?.text !== undefined;
  });
}
