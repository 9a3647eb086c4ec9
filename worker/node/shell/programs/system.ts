// Programs that tell of the machine, start others, or keep it busy.
import { limits } from "../../../../shared/base/limits.ts";
import { quantityOfBytes } from "./memory.ts";
import { absolute } from "../files.ts";
import type { Call, Program, Programs } from "../program.ts";
import { Growing, joined, printedLines } from "../program.ts";
import { isTyped, takeAll } from "../input.ts";
import { interact } from "../interact.ts";
import { charge, hold, Stopped } from "../meter.ts";
import { advance } from "../process.ts";
import { scoped } from "../shell.ts";
import { inner } from "./flow.ts";
import { sleepMs } from "./time.ts";

export const systemPrograms: Programs = {
  sh: interpret,
  bash: interpret,
  ash: interpret,
  dash: interpret,
  zsh: interpret,
  uname: ({ args, out, process }) => {
    const kernel = `Linux ${process.host} 6.12.48+deb13-amd64 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux`;
    out(
      `${args.includes("-a") ? kernel : args.includes("-r") ? "6.12.48+deb13-amd64" : args.includes("-m") ? "x86_64" : "Linux"}\n`,
    );
    return 0;
  },
  mount: ({ process, args, out, err }) => {
    const type = args[args.indexOf("-t") + 1];
    const names = args.filter((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-t");
    if (names.length > 0) {
      err("mount: permission denied (are you root?)\n");
      return 1;
    }
    const volumes = process.mounts.map(({ path, type: own, readOnly, name }) => ({ path, type: own, readOnly, name }));
    const cgroup = { path: "/sys/fs/cgroup", type: "cgroup2", readOnly: true, name: "cgroup" };
    for (const one of [...volumes, cgroup]) {
      if (args.includes("-t") && one.type !== type) continue;
      const device = one.type === "ext4" ? "/dev/vda1" : one.name === "cgroup" ? "cgroup" : one.type;
      out(`${device} on ${one.path || "/"} type ${one.type} (${one.readOnly ? "ro" : "rw"},relatime)\n`);
    }
    return 0;
  },
  sysctl: (call) => {
    let code = 0;
    for (const name of call.args.filter((arg) => !arg.startsWith("-"))) {
      const path = `/proc/sys/${name.replaceAll(".", "/")}`;
      const text = call.process.files.get(path)?.text;
      if (text === undefined) call.err(`sysctl: error: '${name}' is an unknown key\n`);
      else call.out(call.args.includes("-n") ? text : `${name} = ${text}`);
      if (text === undefined) code = 1;
    }
    return code;
  },
  // What is asked to stop has stopped: nothing of the name is left.
  killall: ({ args }) => (args.includes("-0") ? 1 : 0),
  pkill: () => 0,
  pgrep: ({ out }) => {
    out("1\n");
    return 0;
  },
  // What a person copies would be lost: that is said. In a script an archive is taken to be as it should.
  nproc: says(() => "4"),
  arch: says(() => "x86_64"),
  env: environment,
  printenv: environment,
  which: ({ args, out, process }) => {
    const found = args.filter((name) => process.programs?.has(name) ?? true);
    out(joined(found.map((name) => `/bin/${name}`)));
    return found.length === args.length ? 0 : 1;
  },
  free: ({ out }) => {
    out(
      "              total        used        free      shared  buff/cache   available\nMem:        8388608     1258291     5242880       10240     1887437     6920601\nSwap:             0           0           0\n",
    );
    return 0;
  },
  expr: ({ shell, args, out }) => {
    shell.runText({ ...shell, out }, `echo $(( ${args.join(" ").replace(/(?<![=!<>])=(?!=)/g, "==")} ))`);
    return 0;
  },
  xargs: (call) => {
    const { process, shell } = call;
    const text = takeAll(process, call.input) ?? "";
    if (process.paused) return 0;
    charge(process, text.length / 32);
    return scoped(shell, () => {
      hold(process, text.length * 2);
      const own = inner({ ...call, input: undefined });
      shell.run(own, [...(call.args.length > 0 ? call.args : ["echo"]), ...text.split(/\s+/).filter(Boolean)]);
      return own.exitCode;
    });
  },
  nohup: wrapped,
  nice: wrapped,
  setsid: wrapped,
  busybox: wrapped,
  sudo: wrapped,
  tini: wrapped,
  "dumb-init": wrapped,
  "--": wrapped,
  stress: strain,
  "stress-ng": strain,
  perl: (call) => {
    advance(call.process, 5_000);
    const digits = /bpi\((\d+)\)/.exec(call.args.join(" "))?.[1];
    if (digits === undefined) return 0;
    const count = Math.min(Number(digits), mostDigits);
    charge(call.process, (count * count) / digitsSquaredPerUnit);
    call.out(`${pi(count)}\n`);
    return 0;
  },
};

function says(text: (call: Call) => string): Program {
  return (call) => {
    call.out(`${text(call)}\n`);
    return 0;
  };
}

function interpret(call: Call): number {
  const { process, shell, err } = call;
  const { meter, files } = process;
  const { depth, bytes } = meter;
  const fileBytes = files.bytes;
  try {
    return scoped(shell, () => interpreter(call));
  } catch (error) {
    const isAlone = error instanceof Stopped && error.how === "crashed" && depth <= limits.shellDepth / 2;
    if (!isAlone) throw error;
    // It ran out of its stack, and the one around it goes on.
    meter.depth = depth;
    meter.bytes = bytes + files.bytes - fileBytes;
    if (depth > 1) err("Segmentation fault\n");
    return segmentationFault;
  }
}

const segmentationFault = 139;

function interpreter(call: Call): number {
  const { shell, args, process } = call;
  const command = args.findIndex((arg) => /^-\w*c$/.test(arg));
  const flags = args
    .slice(0, command < 0 ? args.length : command + 1)
    .filter((arg) => /^-\w/.test(arg))
    .join("");
  const nested = { ...inner(call), traps: shell.own ? shell.traps : new Map<string, string>() };
  nested.escapes = call.name === "dash" || (call.name === "sh" && isDash(process));
  nested.stopsOnFailure = flags.replace(/--\w+/g, "").includes("e");
  nested.traces = flags.replace(/--\w+/g, "").includes("x");
  if (command >= 0) {
    nested.parameters = [args[command + 2] ?? call.path, ...args.slice(command + 3)];
    return finish(nested, args[command + 1] ?? "");
  }
  const file = args.find((arg) => !arg.startsWith("-"));
  if (file === undefined) {
    if (isTyped(call.input)) return interact(nested, call.name, call.input);
    if (call.input) return finish(nested, call.input.rest);
    // Nobody types anything.
    if (process.interactive) advance(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  nested.parameters = args.slice(args.indexOf(file));
  const text = process.files.get(absolute(file, shell.folder))?.text;
  if (text !== undefined) return finish(nested, text);
  if (process.programs) {
    call.err(`sh: can't open '${file}': No such file or directory\n`);
    return 2;
  }
  shell.run(nested, [`./${file}`]);
  return nested.exitCode;
}

/** In Debian's images and what is made of them, `sh` is dash. */
function isDash({ programs, self: { image } }: Call["process"]): boolean {
  if (programs) return programs.has("apt-get");
  const made = /(^|\/)(debian|ubuntu|redis|postgres|python|node|perl|ruby|golang)(:|@|$)/;
  return made.test(image) && !image.includes("alpine");
}

/** A whole script, and what it trapped for its end. */
export function finish(shell: Call["shell"], text: string): number {
  shell.flow = undefined;
  shell.runText(shell, text);
  const last = shell.traps.get("EXIT");
  if (last !== undefined && !shell.process.paused) {
    shell.traps.delete("EXIT");
    const { exitCode } = shell;
    shell.flow = undefined;
    shell.runText(shell, last);
    if (shell.flow === undefined) shell.exitCode = exitCode;
  }
  return shell.exitCode;
}

function environment(call: Call): number {
  const { shell, process, args, out, name } = call;
  if (name === "printenv" && args[0] !== undefined) {
    const values = args.map((one) => shell.variables.get(one));
    out(
      printedLines(
        process,
        values.filter((one) => one !== undefined),
      ),
    );
    return values.includes(undefined) ? 1 : 0;
  }
  const at = args.findIndex((arg) => !arg.startsWith("-") && !arg.includes("="));
  if (at < 0) {
    const text = new Growing(process);
    for (const [key, value] of shell.variables) text.add(`${key}=${value}\n`);
    out(text.take());
    return 0;
  }
  for (const arg of args.slice(0, at)) {
    const equals = arg.indexOf("=");
    if (equals > 0) shell.variables.set(arg.slice(0, equals), arg.slice(equals + 1));
  }
  shell.run(shell, args.slice(at));
  return shell.exitCode;
}

/** A program that starts another one in its place. */
function wrapped({ shell, args, name, process }: Call): number {
  const rest = args.slice(
    Math.max(
      args.findIndex((arg) => !arg.startsWith("-")),
      0,
    ),
  );
  if (rest.length === 0) return 0;
  shell.run(shell, rest);
  if (name === "tini" || name === "dumb-init") process.heedsTerm = true;
  return shell.exitCode;
}

/** `stress --vm-bytes 250M` in a container that may have 100Mi is ended by the kernel. */
function strain(call: Call): number {
  const { process, args, out } = call;
  const wanted = args.findIndex((arg) => arg.startsWith("--vm-bytes"));
  const text = args[wanted]?.split("=")[1] ?? args[wanted + 1] ?? "";
  out(
    `stress: info: [1] dispatching hogs: ${["cpu", "io", "vm", "hdd"].map((one) => `${option(args, one) ?? 0} ${one}`).join(", ")}\n`,
  );
  if (wanted >= 0 && process.memoryLimit !== undefined && quantityOfBytes(text) > process.memoryLimit) {
    advance(process, 500);
    if (!process.paused) throw new Stopped("oom");
    return 137;
  }
  const limit = option(args, "timeout") ?? option(args, "t");
  advance(process, limit === undefined ? Number.POSITIVE_INFINITY : sleepMs([limit]));
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

/** So many digits of pi (Machin's formula). */
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
