// Built-in commands that change the flow: exit, return, break, continue, scripts, folders, traps and waits.
import type { Task } from "../task.ts";
import { complain, fatal } from "../evaluate/complaints.ts";
import { absolute } from "../paths.ts";
import { heapBytes, hold } from "../meter.ts";
import type { ProgramCall } from "../evaluate/program.ts";
import { setVariable, type Shell } from "../evaluate/shell.ts";

export function exit({ shell, args }: ProgramCall): number {
  shell.flow = { kind: "exit" };
  return codeOf(shell, args[0], "exit");
}

export function leaveFunction({ shell, args }: ProgramCall): number {
  if (shell.dialect === "bash" && !shell.locals && shell.sources === 0) {
    complain(shell, "can only `return' from a function or sourced script", "return");
    return 2;
  }
  shell.flow = { kind: "return" };
  return codeOf(shell, args[0], "return");
}

function codeOf(shell: Shell, text: string | undefined, builtin: string): number {
  if (text === undefined) return shell.exitCode;
  if (/^-?\d+$/.test(text)) {
    // Dash keeps a code above 255 until it exits.
    return shell.dialect === "dash" && builtin === "return" ? Number(text) : Number(text) & 255;
  }
  const number = `Illegal number: ${text}`;
  complain(shell, { ash: number, dash: number, bash: `${text}: numeric argument required` }, builtin);
  shell.flow = { kind: "exit" };
  return 2;
}

export function leaveLoop(kind: "break" | "continue"): (call: ProgramCall) => number {
  return ({ shell, args }) => {
    const levels = Math.min(shell.loops, Math.max(1, Number(args[0] ?? 1) || 1));
    if (levels > 0) shell.flow = { kind, levels };
    else if (shell.dialect === "bash") complain(shell, "only meaningful in a `for', `while', or `until' loop", kind);
    return 0;
  };
}

export function changeFolder({ shell, args, out }: ProgramCall): number {
  const [operand] = args.filter((arg) => !/^-[LPe]+$/.test(arg));
  const target = operand === "-" ? shell.variables.get("OLDPWD") : (operand ?? shell.variables.get("HOME") ?? "/root");
  if (target === undefined) {
    complain(shell, { ash: "OLDPWD not set", dash: "OLDPWD not set", bash: "OLDPWD not set" }, "cd");
    return shell.dialect === "bash" ? 1 : 2;
  }
  const folder = absolute(target === "" ? "." : target, shell.folder);
  const kind = shell.host.findFolder(shell, folder);
  if (kind !== "folder") {
    const why = kind === "file" ? "Not a directory" : "No such file or directory";
    const words = { ash: `can't cd to ${target}: ${why}`, dash: `can't cd to ${target}`, bash: `${target}: ${why}` };
    complain(shell, words, "cd");
    return shell.dialect === "bash" ? 1 : 2;
  }
  setVariable(shell, "OLDPWD", shell.folder);
  shell.folder = folder;
  if (operand === "-") out(`${folder}\n`);
  return 0;
}

export function* source({ shell, args, name }: ProgramCall): Task<number> {
  const [file = "", ...rest] = args;
  const text = shell.host.readFile(shell, file);
  if (text === "") return 0;
  if (text === undefined) {
    const words = {
      ash: `can't open '${file}': No such file or directory`,
      dash: `cannot open ${file}: No such file`,
      bash: `${file}: No such file or directory`,
    };
    if (shell.dialect !== "bash") return fatal(shell, words, name);
    complain(shell, words);
    return 1;
  }
  const { parameters } = shell;
  if (rest.length > 0) shell.parameters = [parameters[0] ?? "sh", ...rest];
  shell.sources++;
  yield* shell.runText(shell, text);
  shell.sources--;
  if (rest.length > 0) shell.parameters = parameters;
  if (shell.flow?.kind === "return" && !shell.locals) shell.flow = undefined;
  return shell.exitCode;
}

export function* evaluate({ shell, args }: ProgramCall): Task<number> {
  const { speaker, dialect } = shell;
  shell.exitCode = 0;
  shell.speaker = "eval";
  yield* shell.runText(shell, args.join(" "));
  shell.speaker = speaker;
  // For bash a script that cannot be read does not end the line.
  if (dialect === "bash" && shell.flow?.kind === "abandon") shell.flow = undefined;
  return shell.exitCode;
}

export function* exec({ shell, args }: ProgramCall): Task<number> {
  const words = args[0] === "-a" ? args.slice(2) : args;
  const [name = ""] = words;
  if (name === "") return 0;
  if (!shell.functions.has(name) && !shell.host.canStart(shell, name)) {
    complain(
      shell,
      {
        ash: `${name}: not found`,
        dash: `${name}: not found`,
        bash: `${name}: ${name.includes("/") ? "cannot execute: No such file or directory" : "not found"}`,
      },
      "exec",
    );
    shell.flow = { kind: "exit" };
    return 127;
  }
  shell.last = true;
  shell.takesProcess = true;
  yield* shell.run(shell, words);
  shell.flow = { kind: "exit" };
  return shell.exitCode;
}

export const signals = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM".split(" ");

/** The command `trap`. Only TERM, EXIT and ERR are ever raised. */
export function trap(call: ProgramCall): number {
  const { shell, args, out } = call;
  const { traps, dialect, process } = shell;
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0 || words[0] === "-p") {
    for (const [name, text] of traps) {
      const signalName =
        dialect === "bash" && /^[A-Z0-9]+$/.test(name) && !/^(EXIT|ERR|DEBUG|RETURN)$/.test(name) ? `SIG${name}` : name;
      out(`trap -- '${text.replaceAll("'", "'\\''")}' ${signalName}\n`);
    }
    return 0;
  }
  const isReset = words.length === 1 || /^\d+$/.test(words[0] ?? "");
  const [text = "", ...names] = isReset ? ["-", ...words] : words;
  let code = 0;
  for (const operand of names) {
    const name = signalOf(shell, operand);
    if (name === undefined) {
      if (shell.dialect === "dash") shell.err(`trap: ${operand}: bad trap\n`);
      else complain(shell, `${operand}: invalid signal specification`, "trap");
      code = 1;
      continue;
    }
    hold(process, heapBytes(text) - heapBytes(traps.get(name) ?? ""));
    if (text === "-") traps.delete(name);
    else traps.set(name, text);
  }
  return code;
}

function signalOf({ dialect, isStrict }: Shell, text: string): string | undefined {
  const name = text.toUpperCase().replace(/^SIG/, "");
  if (/^\d+$/.test(name)) return name === "0" ? "EXIT" : signals[Number(name) - 1];
  if (isStrict && dialect === "dash" && /^(ERR|DEBUG|RETURN)$/.test(name)) return undefined;
  return signals.includes(name) || /^(EXIT|ERR|DEBUG|RETURN|CHLD|CONT|STOP|TSTP|TTIN|TTOU|WINCH|IO|URG)$/.test(name)
    ? name
    : undefined;
}
