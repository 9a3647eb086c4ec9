// The shell in which a program runs another one.
import type { Call } from "../program.ts";
import { subshell } from "../shell.ts";

/** Its variables are its own. */
export function inner(call: Call): Call["shell"] {
  return { ...subshell(call.shell), out: call.out, err: call.err, input: call.input };
}
