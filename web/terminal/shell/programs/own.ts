// What a shell does by itself: folders, variables, aliases, functions and its own ways out.
import { resolvePath } from "../../../kubectl/files.ts";
import { assign, forget } from "../assign.ts";
import { elementName } from "../expand.ts";
import { type Runner, shellQuoted } from "../run.ts";
import { Failure, folderOf, home, Leave, setVariable, type Shell } from "../shell.ts";
import { type ProgramCall, filesOf, optionsOf, pathOf, type Programs } from "../program.ts";

export function ownPrograms(runner: Runner): Programs {
  return {
    ":": () => 0,
    // Completion is this terminal's own.
    complete: () => 0,
    true: () => 0,
    false: () => 1,
    cd,
    pwd: ({ out, shell }) => (out.write(`${folderOf(shell)}\n`), 0),
    export: exported,
    local: assigned,
    declare: assigned,
    readonly: assigned,
    unset: ({ args, shell }) => {
      for (const name of args.filter((one) => !one.startsWith("-"))) {
        forget(shell, name);
        shell.exported.delete(name);
        shell.functions.delete(name);
      }
      return 0;
    },
    alias,
    unalias: ({ args, shell }) => {
      if (args.includes("-a")) shell.aliases.clear();
      for (const name of args) shell.aliases.delete(name);
      return 0;
    },
    set,
    shift: ({ args, shell }) => {
      const [first = "bash", ...rest] = shell.parameters;
      shell.parameters = [first, ...rest.slice(Number(args[0] ?? 1))];
      return 0;
    },
    break: ({ args }) => leave("break", args, 1),
    continue: ({ args }) => leave("continue", args, 1),
    return: ({ args, shell }) => leave("return", args, shell.exitCode),
    exit: ({ args, shell }) => leave("exit", args, shell.exitCode),
    eval: ({ args, shell, input, out, err, signal }) =>
      runner.runText(shell, args.join(" "), { input, out, err, signal }),
    source: (call) => sourced(runner, call),
    ".": (call) => sourced(runner, call),
    read,
  };
}

function cd(call: ProgramCall): number {
  const { args, shell, out } = call;
  const [first] = args;
  const to =
    first === undefined ? (shell.variables.get("HOME") ?? home) : first === "-" ? shell.variables.get("OLDPWD") : first;
  if (to === undefined) throw new Failure("OLDPWD not set");
  const path = pathOf(call, to);
  const files = filesOf(call);
  if (!files.list(path)) {
    const why = files.read(path) === undefined ? "No such file or directory" : "Not a directory";
    throw new Failure(`${to}: ${why}`);
  }
  setVariable(shell, "OLDPWD", folderOf(shell));
  files.folder = path;
  if (first === "-") out.write(`${path}\n`);
  return 0;
}

const namePattern = /^[A-Za-z_]\w*(?:\[.*\])?$/s;

function exported({ args, shell, out }: ProgramCall): number {
  const names = args.filter((one) => !/^-[np]$/.test(one));
  if (names.length === 0) {
    for (const name of [...shell.exported].sort())
      out.write(`declare -x ${name}="${(shell.variables.get(name) ?? "").replace(/["\\$`]/g, "\\$&")}"\n`);
  }
  for (const one of names) {
    const [name, value] = assignmentOf(one);
    if (value !== undefined) setVariable(shell, name, value);
    if (args.includes("-n")) shell.exported.delete(name);
    else shell.exported.add(name);
  }
  return 0;
}

function assigned({ args, shell }: ProgramCall): number {
  const letters = args.filter((arg) => /^-\w+$/.test(arg)).join("");
  for (const one of args.filter((arg) => !/^[-+]\w+$/.test(arg))) {
    const [name, value] = assignmentOf(one);
    const [, bare = "", key] = /^(\w+)(?:\[(.*)\])?$/s.exec(name) ?? [];
    if (letters.includes("A")) shell.attributes.set(bare, "A");
    // A list's elements follow, a word each.
    if (value === "()") forget(shell, bare);
    else if (value !== undefined) assign(shell, [[key === undefined ? name : elementName(shell, bare, key), value]]);
    else if (!/a/i.test(letters)) setVariable(shell, name, shell.variables.get(name) ?? "");
    if (letters.includes("x")) shell.exported.add(name);
  }
  return 0;
}

function assignmentOf(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  const name = at < 0 ? text : text.slice(0, at);
  if (!namePattern.test(name)) throw new Failure(`\`${text}': not a valid identifier`);
  return [name, at < 0 ? undefined : text.slice(at + 1)];
}

/** More are not kept. */
const maxAliases = 500;

function alias({ args, shell, out, err }: ProgramCall): number {
  const shown = (name: string, text: string) => out.write(`alias ${name}=${`'${text.replaceAll("'", "'\\''")}'`}\n`);
  if (args.length === 0) for (const [name, text] of [...shell.aliases].sort()) shown(name, text);
  let code = 0;
  for (const one of args) {
    const at = one.indexOf("=");
    const name = at < 0 ? one : one.slice(0, at);
    const text = shell.aliases.get(name);
    if (at > 0) {
      if (text === undefined && shell.aliases.size >= maxAliases) throw new Failure("too many aliases");
      shell.aliases.set(name, one.slice(at + 1));
    } else if (text !== undefined) shown(name, text);
    else {
      err.write(`bash: alias: ${name}: not found\n`);
      code = 1;
    }
  }
  return code;
}

const settingNames = { e: "errexit", u: "nounset", x: "xtrace" } as const;

function set({ args, shell, out }: ProgramCall): number {
  if (args.length === 0) {
    for (const [name, value] of [...shell.variables].sort()) out.write(`${name}=${shellQuoted(value)}\n`);
    return 0;
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--" || !/^[-+]./.test(arg)) {
      shell.parameters = [shell.parameters[0] ?? "bash", ...args.slice(arg === "--" ? at + 1 : at)];
      return 0;
    }
    const isOn = arg.startsWith("-");
    for (const letter of arg.slice(1)) {
      if (letter === "o") turn(shell, args[++at] ?? "", isOn);
      else if (letter === "e" || letter === "u" || letter === "x") shell.settings[settingNames[letter]] = isOn;
      else throw new Failure(`-${letter}: invalid option`, 2);
    }
  }
  return 0;
}

function turn({ settings }: Shell, name: string, isOn: boolean): void {
  if (name === "errexit" || name === "pipefail" || name === "xtrace" || name === "nounset") settings[name] = isOn;
  else throw new Failure(`${name}: invalid option name`, 2);
}

function leave(kind: Leave["kind"], [value]: readonly string[], otherwise: number): never {
  if (value !== undefined && !/^-?\d+$/.test(value)) throw new Leave(kind, 2);
  throw new Leave(
    kind,
    value === undefined ? otherwise : kind === "break" || kind === "continue" ? Number(value) : Number(value) & 255,
  );
}

async function sourced(runner: Runner, { args, shell, input, out, err, signal }: ProgramCall): Promise<number> {
  const [name, ...parameters] = args;
  if (name === undefined) throw new Failure("filename argument required", 2);
  const text = shell.machine.kubectl.around.files.read(resolvePath(folderOf(shell), name));
  if (text === undefined) throw new Failure(`${name}: No such file or directory`);
  const all = parameters.length > 0 ? [shell.parameters[0] ?? "bash", ...parameters] : shell.parameters;
  return runner.calling(shell, all, async () => void (await runner.runText(shell, text, { input, out, err, signal })));
}

/** Pieces that were read of a source beyond a line, for the next `read` of the same. */
const kept = new WeakMap<object, string>();

async function read(call: ProgramCall): Promise<number> {
  const { shell, input, out, err, signal, args } = call;
  const options = optionsOf(args, "rsp:n:t:");
  const prompt = options.value("p");
  if (prompt !== undefined) (err.isTerminal ? err : out).write(prompt);
  let text = kept.get(input) ?? "";
  let isEnd = false;
  while (!text.includes("\n")) {
    const piece = await input.read(signal);
    if (piece === undefined) {
      isEnd = true;
      break;
    }
    text += piece;
  }
  const end = text.indexOf("\n");
  const line = end < 0 ? text : text.slice(0, end);
  kept.set(input, end < 0 ? "" : text.slice(end + 1));
  const names = options.rest.length > 0 ? options.rest : ["REPLY"];
  let rest = line.trim();
  for (const [at, name] of names.entries()) {
    const isLast = at === names.length - 1;
    const value = isLast ? rest : (/^\S*/.exec(rest)?.[0] ?? "");
    setVariable(shell, name, value);
    rest = rest.slice(value.length).trimStart();
  }
  return isEnd && line === "" ? 1 : 0;
}
