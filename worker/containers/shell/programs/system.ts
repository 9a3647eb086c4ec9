// Programs that print facts about the machine, run other programs, or keep the machine busy.
import { finished, type Task } from "../../../../shared/shell/task.ts";
import { limits } from "../../../../shared/base/limits.ts";
import { quantityOfBytes } from "./memory.ts";
import { absolute } from "../files.ts";
import type { ProgramCall, Program, Programs } from "../program.ts";
import { Growing, joined, printedLines } from "../../../../shared/shell/lines.ts";
import { isTyped } from "../input.ts";
import { interact } from "../interact.ts";
import { charge, Stopped } from "../../../../shared/shell/meter.ts";
import { sleep } from "../system-call.ts";
import { scoped, type Shell } from "../shell.ts";
import { notSimulated } from "../not-simulated.ts";
import { inner } from "../inner.ts";
import { flagsOf, runScript } from "../../../../shared/shell/evaluate/script.ts";
import { readOptions } from "../../../../shared/shell/builtins/options.ts";
import { pathOf } from "../program-paths.ts";
import type { Family } from "../../images/known-image.ts";
import { shellOf } from "../../run/image-programs.ts";
import { Names } from "../../../../shared/shell/names.ts";
import { su, sudo } from "./machine/sudo.ts";
import { sleepMs } from "./time.ts";

export const systemPrograms: Programs = {
  sh: interpret,
  bash: interpret,
  ash: interpret,
  dash: interpret,
  zsh: interpret,
  sysctl: (call) => {
    let code = 0;
    for (const argument of call.args.filter((arg) => !arg.startsWith("-"))) {
      const [name = "", value] = argument.split("=").map((half) => half.trim());
      const path = `/proc/sys/${name.replaceAll(".", "/")}`;
      const current = call.process.files.get(path)?.text;
      // A value is set in the kernel, and containers have no copy of it.
      const text = value === undefined || current === undefined ? current : `${value}\n`;
      if (text === undefined) call.err(`sysctl: error: '${name}' is an unknown key\n`);
      else call.out(call.args.some((arg) => /^-\w*n/.test(arg)) ? text : `${name.replaceAll("/", ".")} = ${text}`);
      if (text === undefined) code = 1;
    }
    return code;
  },
  // Processes that were killed have ended, so none of the name is left.
  killall: ({ args }) => (args.includes("-0") ? 1 : 0),
  pkill: () => 0,
  pgrep: ({ out }) => {
    out("1\n");
    return 0;
  },
  nproc: says(() => "4"),
  arch: says(() => "x86_64"),
  env: environment,
  printenv: environment,
  which: ({ args, out, process }) => {
    const present = args.filter((name) => process.programs?.has(name) ?? true);
    out(joined(present.map((name) => pathOf(process, name))));
    return present.length === args.length ? 0 : 1;
  },
  nohup: wrapped,
  nice: wrapped,
  setsid: wrapped,
  busybox: wrapped,
  sudo,
  su,
  tini: wrapped,
  "dumb-init": wrapped,
  "--": wrapped,
  stress: strain,
  "stress-ng": strain,
  *perl(call) {
    const digits = /bpi\((\d+)\)/.exec(call.args.join(" "))?.[1];
    if (digits === undefined) return yield* notSimulated(call);
    yield* sleep(call.process, 5_000);
    const count = Math.min(Number(digits), mostDigits);
    charge(call.process, (count * count) / digitsSquaredPerUnit);
    call.out(`${pi(count)}\n`);
    return 0;
  },
};

function says(text: (call: ProgramCall) => string): Program {
  return (call) => {
    call.out(`${text(call)}\n`);
    return 0;
  };
}

function* interpret(call: ProgramCall): Task<number> {
  const { process, shell, err } = call;
  const { meter, files } = process;
  const { depth, bytes } = meter;
  const fileBytes = files.bytes;
  try {
    return yield* finished(scoped(shell, () => interpreter(call)));
  } catch (error) {
    const isAlone = error instanceof Stopped && error.how === "crashed" && depth <= limits.shellDepth / 2;
    if (!isAlone) throw error;
    // The inner program exceeded its stack, and the program around it continues.
    meter.depth = depth;
    meter.bytes = bytes + files.bytes - fileBytes;
    if (depth > 1) err("Segmentation fault\n");
    return segmentationFault;
  }
}

const segmentationFault = 139;

function* interpreter(call: ProgramCall): Task<number> {
  const { shell, args, process, name } = call;
  const nested = nestedShell(call);
  const { flags, isCommand, rest } = flagsOf(args);
  if (flags.includes("--version") && nested.dialect === "bash") {
    call.out("GNU bash, version 5.2.37(1)-release (x86_64-pc-linux-gnu)\n");
    return 0;
  }
  const options = flags.filter((flag) => !flag.startsWith("--"));
  if (readOptions(nested, options) === undefined) return nested.exitCode;
  const [file, ...parameters] = rest;
  if (isCommand) {
    const isNamed = parameters.length > 0;
    if (file === undefined) {
      const at = { ash: "", dash: "0: ", bash: "" }[nested.dialect];
      call.err(`${call.path}: ${at}${nested.dialect === "bash" ? "-c: option" : "-c"} requires an argument\n`);
      return 2;
    }
    return yield* runScript(
      { ...nested, source: isNamed ? "named" : "command", parameters: isNamed ? parameters : [call.path] },
      file,
    );
  }
  if (file === undefined || flags.includes("-s")) {
    if (isTyped(call.input))
      return yield* interact({ ...nested, source: "typed", parameters: [call.path] }, name, call.input);
    if (call.input) return yield* runScript({ ...nested, parameters: [call.path, ...rest] }, call.input.rest);
    // The program has no input.
    if (process.interactive) yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  const text = process.files.get(absolute(file, shell.folder))?.text;
  if (text !== undefined) return yield* runScript({ ...nested, source: "file", parameters: rest }, text);
  if (process.knowsFiles) {
    const none = "No such file or directory";
    const words = {
      ash: `can't open '${file}': ${none}`,
      dash: `0: cannot open ${file}: No such file`,
      bash: `${file}: ${none}`,
    };
    call.err(`${call.path}: ${words[nested.dialect]}\n`);
    return nested.dialect === "bash" ? 127 : 2;
  }
  yield* shell.run(nested, [`./${file}`]);
  return nested.exitCode;
}

/** Returns a shell that has only the exported variables of the shell around it. */
function nestedShell(call: ProgramCall): Shell {
  const { shell, name, process } = call;
  const { image } = process.self;
  const ownDialect =
    name === "sh" ? shellOf(image, familyOf(process)) : name === "dash" ? "dash" : name === "ash" ? "ash" : "bash";
  const nested: Shell = {
    ...inner(call),
    dialect: ownDialect ?? "ash",
    isStrict: ownDialect !== undefined,
    options: {},
    stopsOnFailure: false,
    traces: false,
    startMs: process.clockMs,
    locals: undefined,
    isCondition: false,
    aliases: new Names(process),
    functions: new Names(process),
    history: [],
    traps: shell.takesProcess ? shell.traps : new Map<string, string>(),
  };
  for (const [variable, letters] of [...nested.attributes]) {
    if (letters.includes("-")) nested.variables.delete(variable);
    nested.attributes.delete(variable);
  }
  return nested;
}

function familyOf({ programs }: ProgramCall["process"]): Family | undefined {
  if (!programs || programs.size <= 1) return undefined;
  return programs.has("apt-get")
    ? "debian"
    : programs.has("apk")
      ? "alpine"
      : programs.has("ash")
        ? "busybox"
        : programs.has("dnf")
          ? "redhat"
          : undefined;
}

/** Matches an element of an array, which is not exported as a variable. */
const element = /^[A-Za-z_]\w*\[/;

function* environment(call: ProgramCall): Task<number> {
  const { process, args, out, name } = call;
  const shell = inner(call);
  if (name === "printenv" && args[0] !== undefined) {
    const values = args.map((variable) => shell.variables.get(variable));
    out(
      printedLines(
        process,
        values.filter((value) => value !== undefined),
      ),
    );
    return values.includes(undefined) ? 1 : 0;
  }
  const at = args.findIndex((arg, index) => !arg.startsWith("-") && !arg.includes("=") && args[index - 1] !== "-u");
  if (args[0] === "-i" || args[0] === "-") for (const [key] of [...shell.variables]) shell.variables.delete(key);
  for (const [index, arg] of args.entries())
    if (arg === "-u" && (at < 0 || index < at)) shell.variables.delete(args[index + 1] ?? "");
  if (at < 0) {
    for (const arg of args)
      if (/^\w+=/.test(arg)) shell.variables.set(arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1));
    const text = new Growing(process);
    for (const [key, value] of shell.variables) {
      const isOwn = shell.attributes.get(key)?.includes("-") ?? false;
      if (!isOwn && !element.test(key)) text.add(`${key}=${value}\n`);
    }
    out(text.take());
    return 0;
  }
  for (const arg of args.slice(0, at)) {
    const equals = arg.indexOf("=");
    if (equals > 0) shell.variables.set(arg.slice(0, equals), arg.slice(equals + 1));
  }
  yield* shell.run(shell, args.slice(at));
  return shell.exitCode;
}

/** Runs another program in place of itself. */
function* wrapped({ shell, args, name, process }: ProgramCall): Task<number> {
  const rest = args.slice(
    Math.max(
      args.findIndex((arg) => !arg.startsWith("-")),
      0,
    ),
  );
  if (rest.length === 0) return 0;
  yield* shell.run(shell, rest);
  if (name === "tini" || name === "dumb-init") process.heedsTerm = true;
  return shell.exitCode;
}

/** Runs `stress --vm-bytes 250M`. In a container with a limit of 100Mi the kernel kills it. */
function* strain(call: ProgramCall): Task<number> {
  const { process, args, out } = call;
  const memoryOption = args.findIndex((arg) => arg.startsWith("--vm-bytes"));
  const text = args[memoryOption]?.split("=")[1] ?? args[memoryOption + 1] ?? "";
  out(
    `stress: info: [1] dispatching hogs: ${["cpu", "io", "vm", "hdd"].map((hog) => `${option(args, hog) ?? 0} ${hog}`).join(", ")}\n`,
  );
  if (memoryOption >= 0 && process.memoryLimit !== undefined && quantityOfBytes(text) > process.memoryLimit) {
    yield* sleep(process, 500);
    if (!process.paused) throw new Stopped("oom");
    return 137;
  }
  const limit = option(args, "timeout") ?? option(args, "t");
  yield* sleep(process, limit === undefined ? Number.POSITIVE_INFINITY : sleepMs([limit]));
  return 0;
}

function option(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex(
    (arg) => arg === `--${name}` || arg === `-${name[0] ?? ""}` || arg.startsWith(`--${name}=`),
  );
  return at < 0 ? undefined : (args[at]?.split("=")[1] ?? args[at + 1]);
}

const mostDigits = 3_000;
const digitsSquaredPerUnit = 500;

/** Computes digits of pi by Machin's formula. */
function pi(digits: number): string {
  const unity = 10n ** BigInt(digits + 10);
  const inverse = (x: bigint) => {
    let sum = 0n;
    let term = unity / x;
    for (let n = 1n; term !== 0n; n += 2n) {
      sum += n % 4n === 1n ? term / n : -(term / n);
      term /= x * x;
    }
    return sum;
  };
  const value = (4n * (4n * inverse(5n) - inverse(239n))).toString();
  return `3.${value.slice(1, digits)}`;
}
