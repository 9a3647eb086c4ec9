// The shell in which a program runs another one.
import type { ProgramCall } from "./program.ts";
import { subshell } from "./shell.ts";

/** Its variables are its own. */
export function inner(call: ProgramCall): ProgramCall["shell"] {
  return { ...subshell(call.shell), out: call.out, err: call.err, input: call.input };
}
