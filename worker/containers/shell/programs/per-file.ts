// Runs a program's action on each of its files.
import { options } from "../../../../shared/shell/options.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { assumeFile } from "../assumptions.ts";
import { absolute } from "../files.ts";
import type { ProgramCall } from "../program.ts";
import type { Process } from "../process.ts";

/** Reports whether the image's small tools are busybox's. True if the image is not known. */
export function isBusybox({ programs }: Pick<Process, "programs">): boolean {
  return programs === undefined || programs.has("ash");
}

/** Runs an action on each path. The action returns a complaint. */
export function each(
  call: ProgramCall,
  change: (path: string, name: string) => string | undefined,
  withValue = "",
): number {
  let code = 0;
  for (const name of options(call.args, withValue).rest) {
    charge(call.process, 1 + (name.length + call.shell.folder.length) / 16);
    const path = absolute(name, call.shell.folder);
    const problem = change(path, name);
    if (problem === undefined) continue;
    if (!call.process.files.exists(path)) assumeFile(call.process, path);
    call.err(`${call.name}: ${problem}\n`);
    code = 1;
  }
  return code;
}
