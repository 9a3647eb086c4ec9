// The shell in which a program runs another program.
import type { ProgramCall } from "./program.ts";
import { subshell } from "./shell.ts";

/** Returns a call's shell with variables of its own. */
export function inner(call: ProgramCall): ProgramCall["shell"] {
  return { ...subshell(call.shell), out: call.out, err: call.err, input: call.input };
}
