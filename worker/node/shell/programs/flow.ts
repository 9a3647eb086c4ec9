// The commands that are part of a shell: ends, loops' ways out, variables, options and traps.
import { absolute, isFolder } from "../files.ts";
import type { Call, Programs } from "../program.ts";
import { isTyped, takeLine } from "../input.ts";
import { charge, heapBytes, hold } from "../meter.ts";
import { advance } from "../process.ts";
import { setVariable, subshell } from "../shell.ts";

const nothing = () => 0;

export const flowPrograms: Programs = {
  ":": nothing,
  true: nothing,
  false: () => 1,
  exit: ({ shell, args }) => {
    shell.flow = { kind: "exit" };
    return args[0] === undefined ? shell.exitCode : Number.parseInt(args[0], 10) & 255;
  },
  return: ({ shell, args }) => {
    shell.flow = { kind: "return" };
    return args[0] === undefined ? shell.exitCode : Number.parseInt(args[0], 10) & 255;
  },
  break: ({ shell, args }) => {
    shell.flow = { kind: "break", levels: Number(args[0] ?? 1) };
    return 0;
  },
  continue: ({ shell, args }) => {
    shell.flow = { kind: "continue", levels: Number(args[0] ?? 1) };
    return 0;
  },
  set: setOptions,
  shopt: nothing,
  export: assign,
  readonly: assign,
  local: assign,
  declare: assign,
  typeset: assign,
  unset: ({ shell, args }) => {
    for (const name of args) if (shell.variables.delete(name)) shell.process.version++;
    return 0;
  },
  shift: ({ shell, args }) => {
    charge(shell.process, shell.parameters.length / 100);
    const [own = "", ...rest] = shell.parameters;
    shell.parameters = [own, ...rest.slice(Number(args[0] ?? 1))];
    return 0;
  },
  let: ({ shell, args }) => {
    shell.runText(shell, `(( ${args.join(" ")} ))`);
    return shell.exitCode;
  },
  read,
  cd: ({ shell, args, err }) => {
    const folder = absolute(args[0] ?? shell.variables.get("HOME") ?? "/root", shell.folder);
    if (shell.process.programs && !isFolder(shell.process.files, folder)) {
      err(`sh: cd: can't cd to ${args[0] ?? ""}: No such file or directory\n`);
      return 2;
    }
    shell.folder = folder;
    return 0;
  },
  pwd: ({ shell, out }) => {
    out(`${shell.folder}\n`);
    return 0;
  },
  eval: ({ shell, args }) => {
    shell.runText(shell, args.join(" "));
    return shell.exitCode;
  },
  ".": source,
  source,
  trap,
  wait,
  exec: ({ shell, args }) => {
    if (args.length === 0) return 0;
    shell.last = true;
    shell.own = true;
    shell.run(shell, args);
    shell.flow = { kind: "exit" };
    return shell.exitCode;
  },
  type: known,
  command: ({ shell, args, ...call }) => {
    if (args[0] === "-v" || args[0] === "-V") return known({ shell, args: args.slice(1), ...call });
    shell.run(shell, args);
    return shell.exitCode;
  },
  kill: ({ shell, args }) => {
    // Ending the first process ends the container.
    if (args.includes("1") && args.some((one) => /^-(9|KILL|SIGKILL)$/.test(one))) return 0;
    if (args.at(-1) === "1" || args.at(-1) === "$$") shell.flow = { kind: "exit" };
    return 0;
  },
  umask: nothing,
  ulimit: nothing,
  hash: nothing,
};

function setOptions({ shell, args }: Call): number {
  args.forEach((arg, at) => {
    const sets = arg.startsWith("-");
    if (/^[-+]\w*e/.test(arg) || (arg.endsWith("o") && args[at + 1] === "errexit")) shell.stopsOnFailure = sets;
    if (/^[-+]\w*x/.test(arg) || (arg.endsWith("o") && args[at + 1] === "xtrace")) shell.traces = sets;
  });
  const own = args.indexOf("--");
  if (own >= 0) shell.parameters = [shell.parameters[0] ?? "sh", ...args.slice(own + 1)];
  return 0;
}

function assign({ shell, args }: Call): number {
  for (const arg of args) {
    const equals = arg.indexOf("=");
    if (equals > 0) setVariable(shell, arg.slice(0, equals), arg.slice(equals + 1));
  }
  return 0;
}

function read({ shell, args, input, process }: Call): number {
  const names = args.filter((arg, at) => !arg.startsWith("-") && !/^-[nptud]$/.test(args[at - 1] ?? ""));
  const wait = args.indexOf("-t");
  if (input === undefined || (wait >= 0 && isTyped(input))) {
    if (process.interactive) advance(process, wait < 0 ? Number.POSITIVE_INFINITY : Number(args[wait + 1]) * 1000);
    return 1;
  }
  const line = takeLine(process, input)?.replace(/\n$/, "");
  if (line === undefined) return 1;
  process.version++;
  const separators = shell.variables.get("IFS") ?? " \t\n";
  charge(process, (line.length * (1 + separators.length)) / 100);
  const words = separators === "" ? [line] : split(line.trim(), separators, Math.max(names.length, 1));
  (names.length > 0 ? names : ["REPLY"]).forEach((name, at) => setVariable(shell, name, words[at] ?? ""));
  return 0;
}

function split(line: string, separators: string, most: number): string[] {
  const words: string[] = [];
  let rest = line;
  while (words.length < most - 1) {
    let at = 0;
    while (at < rest.length && !separators.includes(rest[at] ?? "")) at++;
    if (at === rest.length) break;
    words.push(rest.slice(0, at));
    rest = rest.slice(at + 1).trimStart();
  }
  return [...words, rest];
}

function source({ shell, args, err }: Call): number {
  const text = shell.process.files.get(absolute(args[0] ?? "", shell.folder))?.text;
  if (text === undefined) {
    if (!shell.process.programs) return 0;
    err(`sh: .: can't open '${args[0] ?? ""}': No such file or directory\n`);
    return 2;
  }
  shell.runText(shell, text);
  return shell.exitCode;
}

function trap({ shell, args }: Call): number {
  const [text = "", ...signals] = args[0] === "--" ? args.slice(1) : args;
  for (const signal of signals) {
    const name = signal.replace(/^SIG/, "").replace(/^15$/, "TERM").replace(/^0$/, "EXIT");
    // Only these are ever raised.
    if (name !== "TERM" && name !== "EXIT") continue;
    hold(shell.process, heapBytes(text) - heapBytes(shell.traps.get(name) ?? ""));
    if (text === "-") shell.traps.delete(name);
    else shell.traps.set(name, text);
  }
  return 0;
}

/** For what was started beside the script; a trapped signal interrupts it. */
function wait({ shell, process }: Call): number {
  charge(process, process.jobs.length / 50);
  const endMs = process.jobs.reduce((last, one) => Math.max(last, one), process.clockMs);
  process.trapped = shell.traps.has("TERM");
  advance(process, endMs - process.clockMs);
  process.trapped = false;
  if (process.clockMs >= endMs) process.jobs.length = 0;
  return process.clockMs < endMs ? 143 : 0;
}

function known({ shell, args, out }: Call): number {
  const name = args[0] ?? "";
  const { process } = shell;
  const there = Object.hasOwn(flowPrograms, name) || shell.functions.has(name) || (process.programs?.has(name) ?? true);
  if (!there) return 127;
  out(Object.hasOwn(flowPrograms, name) || shell.functions.has(name) ? `${name}\n` : `/bin/${name}\n`);
  return 0;
}

/** Programs that run others need a shell of their own. */
export function inner(call: Call): Call["shell"] {
  return { ...subshell(call.shell), out: call.out, err: call.err, input: call.input };
}
