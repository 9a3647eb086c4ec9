// Built-in commands for names: builtins, functions, aliases and programs.
import type { Task } from "../task.ts";
import { complain } from "../evaluate/complaints.ts";
import { charge } from "../meter.ts";
import { type ProgramCall } from "../evaluate/program.ts";
import { printedLines } from "../lines.ts";
import type { Shell } from "../evaluate/shell.ts";

const reserved = new Set(
  "if then else elif fi case esac for while until do done in { } ! [[ ]] function select time".split(" "),
);
/** The special built-in commands of POSIX. */
const special = new Set(
  ": . break continue eval exec exit export readonly return set shift times trap unset".split(" "),
);
const common =
  ": . alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs kill local printf pwd read readonly return set shift test [ times trap true type ulimit umask unalias unset wait";
const inShells: Readonly<Record<Shell["dialect"], ReadonlySet<string>>> = {
  ash: new Set(`${common} source let history [[`.split(" ")),
  dash: new Set(common.split(" ")),
  bash: new Set(
    `${common} source let history [[ declare typeset shopt mapfile readarray builtin compgen complete dirs disown enable logout`.split(
      " ",
    ),
  ),
};

/** Reports whether a shell has a built-in command of this name. */
export function isBuiltin({ dialect, isStrict }: Pick<Shell, "dialect" | "isStrict">, name: string): boolean {
  return inShells[dialect].has(name) || (!isStrict && inShells.bash.has(name));
}

/** Reports whether only shells have a command of this name. */
export function isOnlyBuiltin(name: string): boolean {
  return inShells.bash.has(name) && !/^(?:true|false|test|echo|printf|\[|\[\[|kill|pwd)$/.test(name);
}

export function builtinNames({ dialect }: Pick<Shell, "dialect">): readonly string[] {
  return [...inShells[dialect]];
}

type Kind = "alias" | "keyword" | "function" | "builtin" | "file";

function kindOf({ shell }: ProgramCall, name: string): Kind | undefined {
  if (shell.aliases.has(name)) return "alias";
  if (reserved.has(name) && (shell.dialect !== "dash" || !/^(\[\[|\]\]|function|select|time)$/.test(name)))
    return "keyword";
  if (shell.functions.has(name)) return "function";
  if (isBuiltin(shell, name)) return "builtin";
  return shell.host.pathOf(shell, name) === undefined ? undefined : "file";
}

export function type(call: ProgramCall): number {
  const { shell, args, out } = call;
  const isShort = args[0] === "-t" && shell.dialect !== "dash";
  let code = 0;
  for (const name of args.filter((arg) => (arg === "-t" ? !isShort : !/^-[apP]$/.test(arg)))) {
    charge(call.process, 1);
    const kind = kindOf(call, name);
    if (isShort) {
      if (kind) out(`${kind}\n`);
      else code = 1;
    } else if (kind) out(`${described(call, name, kind)}\n`);
    else {
      code = shell.dialect === "bash" ? 1 : 127;
      if (shell.dialect === "bash") complain(shell, `${name}: not found`, "type");
      else out(`${name}: not found\n`);
    }
  }
  return code;
}

function described({ shell }: ProgramCall, name: string, kind: Kind): string {
  const isBash = shell.dialect === "bash";
  switch (kind) {
    case "alias":
      return isBash
        ? `${name} is aliased to \`${shell.aliases.get(name) ?? ""}'`
        : `${name} is an alias for ${shell.aliases.get(name) ?? ""}`;
    case "keyword":
      return `${name} is a shell keyword`;
    case "function":
      return isBash ? `${name} is a function` : `${name} is a shell function`;
    case "builtin":
      return `${name} is a ${!isBash && special.has(name) ? "special " : ""}shell builtin`;
    case "file":
      return `${name} is ${shell.host.pathOf(shell, name) ?? name}`;
  }
}

/** The command `command`: `command -v name`, `command name`. */
export function* command(call: ProgramCall): Task<number> {
  const { shell, args, out } = call;
  const [first, ...rest] = args;
  if (first === "-V") return type({ ...call, args: rest });
  if (first !== "-v") {
    const words = first === "-p" || first === "--" ? rest : args;
    if (words.length === 0) return 0;
    return yield* runPlain(shell, words);
  }
  const isBash = shell.dialect === "bash";
  const kinds = (isBash ? rest : rest.slice(0, 1)).map((name) => [name, kindOf(call, name)] as const);
  for (const [name, kind] of kinds) {
    if (!kind) continue;
    if (kind === "alias") out(`alias ${name}='${shell.aliases.get(name) ?? ""}'\n`);
    else out(`${(kind === "file" ? shell.host.pathOf(shell, name) : undefined) ?? name}\n`);
  }
  return kinds.some(([, kind]) => kind) ? 0 : isBash ? 1 : 127;
}

/** Runs a command, ignoring a function of that name. */
function* runPlain(shell: Shell, words: readonly string[]): Task<number> {
  const shadowed = shell.functions.get(words[0] ?? "");
  if (shadowed) shell.functions.delete(words[0] ?? "");
  yield* shell.run(shell, words);
  if (shadowed) shell.functions.set(words[0] ?? "", shadowed);
  return shell.exitCode;
}

export function alias({ shell, args, out, process }: ProgramCall): number {
  const isBash = shell.dialect === "bash";
  const formatAlias = (name: string, text: string) =>
    `${isBash ? "alias " : ""}${name}='${text.replaceAll("'", "'\\''")}'`;
  if (args.length === 0)
    out(printedLines(process, [...shell.aliases].map(([name, text]) => formatAlias(name, text)).sort()));
  let code = 0;
  for (const arg of args) {
    const equals = arg.indexOf("=");
    const text = equals > 0 ? arg.slice(equals + 1) : shell.aliases.get(arg);
    if (equals > 0) shell.aliases.set(arg.slice(0, equals), text ?? "");
    else if (text !== undefined) out(`${formatAlias(arg, text)}\n`);
    else {
      complain(shell, `${arg} not found`.replace(" not", isBash ? ": not" : " not"), "alias");
      code = 1;
    }
  }
  return code;
}

export function unalias({ shell, args }: ProgramCall): number {
  let code = 0;
  if (args[0] === "-a") for (const [name] of [...shell.aliases]) shell.aliases.delete(name);
  else
    for (const name of args) {
      if (shell.aliases.delete(name)) continue;
      complain(shell, { ash: `${name} not found`, dash: `${name} not found`, bash: `${name}: not found` }, "unalias");
      code = 1;
    }
  return code;
}

const limitsOf: Readonly<Record<string, string>> = {
  c: "0",
  n: "1048576",
  s: "8192",
  u: "unlimited",
  f: "unlimited",
  v: "unlimited",
  m: "unlimited",
  l: "8192",
};

export function ulimit({ args, out }: ProgramCall): number {
  const [letter = "f", value] = args.map((arg) => arg.replace(/^-[SH]?/, ""));
  if (letter === "a") {
    out(
      `core file size (blocks)         (-c) 0\nfile size (blocks)              (-f) unlimited\nopen files                      (-n) 1048576\nstack size (kb)                 (-s) 8192\nprocesses                       (-p) unlimited\n`,
    );
    return 0;
  }
  if (value === undefined) out(`${limitsOf[letter] ?? "unlimited"}\n`);
  return 0;
}

/** The command `umask`. The mask is printed, but does not change the modes of files. */
export function umask({ shell, args, out }: ProgramCall): number {
  const [mask] = args.filter((arg) => !arg.startsWith("-"));
  if (mask !== undefined) shell.attributes.set("umask", mask.padStart(4, "0"));
  else out(`${shell.attributes.get("umask") ?? "0022"}\n`);
  return 0;
}
