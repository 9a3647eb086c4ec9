// Scripts in shells of their own: their options, and the trap that runs at their end.
import type { Task } from "../task.ts";
import type { Shell } from "./shell.ts";

/** Reads the words before a script: letters, `-o name`, and long options of bash's. */
export function flagsOf(args: readonly string[]): {
  readonly flags: readonly string[];
  readonly isCommand: boolean;
  readonly rest: readonly string[];
} {
  const flags: string[] = [];
  let isCommand = false;
  let at = 0;
  for (; at < args.length && /^[-+]./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    const isLong = arg.startsWith("--");
    isCommand ||= !isLong && arg.startsWith("-") && arg.includes("c");
    flags.push(isLong ? arg : arg.replace(/[cs]/g, "") || "-");
    if (arg === "-s") flags.push("-s");
    if (!isLong && arg.endsWith("o")) flags.push(args[++at] ?? "");
    if (arg === "--rcfile" || arg === "--init-file") at++;
  }
  return { flags: flags.filter((flag) => flag !== "-"), isCommand, rest: args.slice(at) };
}

/** Runs a whole script, and the trap that it set for its end. Returns its exit code. */
export function* runScript(shell: Shell, text: string): Task<number> {
  shell.flow = undefined;
  yield* shell.runText(shell, text);
  const last = shell.traps.get("EXIT");
  if (last !== undefined && !shell.process.paused) {
    shell.traps.delete("EXIT");
    const { exitCode } = shell;
    shell.flow = undefined;
    yield* shell.runText(shell, last);
    if (shell.flow === undefined) shell.exitCode = exitCode;
  }
  return shell.exitCode;
}
