// printf: formats texts and numbers, and complains about invalid numbers.
import { complain } from "../../../../../shared/shell/evaluate/complaints.ts";
import type { ProgramCall } from "../../program.ts";
import { formatted } from "../../../../../shared/shell/printf.ts";
import { setVariable } from "../../shell.ts";

export function printf(call: ProgramCall): number {
  const { shell, process, out } = call;
  const isNamed = call.args[0] === "-v" && shell.dialect !== "dash";
  const [first, ...args] = isNamed ? call.args.slice(2) : call.args[0] === "--" ? call.args.slice(1) : call.args;
  if (first === undefined) {
    complain(
      shell,
      {
        ash: "usage: printf FORMAT [ARG]...",
        dash: "usage: printf format [arg ...]",
        bash: "usage: printf [-v var] format [arguments]",
      },
      "printf",
    );
    return shell.dialect === "ash" ? 1 : 2;
  }
  let code = 0;
  const onMalformedNumber = (value: string, hasNumericPrefix: boolean) => {
    code = 1;
    if (shell.dialect === "ash") return call.err(`sh: invalid number '${value}'\n`);
    const ofDash = `${value}: ${hasNumericPrefix ? "not completely converted" : "expected numeric value"}`;
    complain(shell, { ash: "", dash: ofDash, bash: `${value}: invalid number` }, "printf");
  };
  const text = formatted({ process, nowMs: () => process.clockMs, onMalformedNumber }, first, args);
  if (isNamed) setVariable(shell, call.args[1] ?? "", text);
  else out(text);
  return code;
}
