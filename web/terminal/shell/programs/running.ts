// Programs that run others: `env`, `xargs`, `watch`, `time`, `timeout` and `which`.
import { quotedFor } from "../../../../shared/shell/expansion/assignments.ts";
import { setVariable, subshell } from "../../../../shared/shell/evaluate/shell.ts";
import { TerminalProcess } from "../budget.ts";
import { drive } from "../drive.ts";
import { Failure } from "../failure.ts";
import { runToEnd } from "../host.ts";
import { type ProgramCall, optionsOf, type Programs, wholeInput } from "../program.ts";
import { isExported, type Shell } from "../shell.ts";
import { Collected, Interrupted, newReader, emptyInput, type Sink, writerTo } from "../streams.ts";

export const runningPrograms: Programs = {
  env,
  printenv: ({ args, shell, out }) => {
    const [name] = args;
    if (name === undefined) return listed(shell, out);
    const value = isExported(shell, name) ? shell.variables.get(name) : undefined;
    if (value !== undefined) out.write(`${value}\n`);
    return value === undefined ? 1 : 0;
  },
  xargs,
  watch,
  time: async (call) => {
    const { clock } = call.shell.machine.kubectl.surroundings;
    const from = clock.nowMs();
    const code = await again(call, call.args);
    const seconds = (clock.nowMs() - from) / 1000;
    const elapsed = `${Math.floor(seconds / 60)}m${(seconds % 60).toFixed(3)}s`;
    call.err.write(`\nreal\t${elapsed}\nuser\t0m0.000s\nsys\t0m0.000s\n`);
    return code;
  },
  timeout,
  nohup: (call) => again(call, call.args),
  sudo: (call) =>
    again(
      call,
      call.args.filter((argument) => argument !== "-E" && argument !== "-i"),
    ),
  which: ({ args, shell, out }) => {
    const paths = args.map((name) => shell.host.pathOf(shell, name));
    for (const path of paths) if (path !== undefined) out.write(`${path}\n`);
    return paths.includes(undefined) ? 1 : 0;
  },
};

/** Runs words as a command in a shell with the streams of this program. */
async function again(call: ProgramCall, words: readonly string[], signal = call.signal): Promise<number> {
  if (words.length === 0) return 0;
  const { input, out, err, shell } = call;
  const inner: Shell = {
    ...shell,
    process: new TerminalProcess(signal),
    input: newReader(input),
    out: writerTo(out),
    err: writerTo(err),
  };
  await drive(shell.run(inner, words));
  if (call.signal.aborted) throw new Interrupted();
  return inner.exitCode;
}

function listed(shell: Shell, out: Sink): number {
  for (const [name, value] of shell.variables) if (isExported(shell, name)) out.write(`${name}=${value}\n`);
  return 0;
}

function env(call: ProgramCall): Promise<number> | number {
  const inner = subshell(call.shell);
  const rest = [...call.args];
  for (let word; (word = /^([A-Za-z_]\w*)=([^]*)$/.exec(rest[0] ?? "")); rest.shift()) {
    const [, name = "", value = ""] = word;
    setVariable(inner, name, value);
    inner.attributes.set(name, "x");
  }
  if (rest.length === 0) return listed(inner, call.out);
  return again({ ...call, shell: inner }, rest);
}

async function xargs(call: ProgramCall): Promise<number> {
  const split = call.args.findIndex((arg, at) => !arg.startsWith("-") && !/^-[InLPd]$/.test(call.args[at - 1] ?? ""));
  const ownArguments = split < 0 ? call.args : call.args.slice(0, split);
  const command = split < 0 ? ["echo"] : call.args.slice(split);
  const options = optionsOf(ownArguments, "I:n:L:P:d:rt0 --no-run-if-empty");
  const { text } = await wholeInput(call, []);
  const marker = options.value("I");
  const mark = options.has("0") ? "\0" : options.value("d")?.replace("\\n", "\n");
  const words =
    marker !== undefined || mark !== undefined
      ? text.split(mark ?? "\n").filter((item) => item.trim() !== "")
      : [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
          ([, single, double, plain]) => single ?? double ?? plain ?? "",
        );
  const calls: string[][] = [];
  if (marker !== undefined)
    for (const word of words) calls.push(command.map((commandWord) => commandWord.replaceAll(marker, word.trim())));
  else {
    const count = Number(options.value("n") ?? options.value("L") ?? Math.max(words.length, 1));
    if (!(count >= 1)) throw new Error(`value ${options.value("n") ?? ""} for -n option should be >= 1`);
    for (let at = 0; at < words.length; at += count) calls.push([...command, ...words.slice(at, at + count)]);
    if (words.length === 0 && !options.has("r", "no-run-if-empty")) calls.push(command);
  }
  let failed = 0;
  for (const words of calls) {
    if (options.has("t")) call.err.write(`${words.map(quoted).join(" ")}\n`);
    await call.shell.machine.yieldToPage(call.signal);
    const code = await again({ ...call, input: newReader(emptyInput) }, words);
    if (code === 127) return 127;
    if (code !== 0) failed = 123;
  }
  return failed;
}

async function timeout(call: ProgramCall): Promise<number> {
  const rest = [...call.args];
  while (rest[0]?.startsWith("-")) rest.splice(0, /^-[ks]$/.test(rest[0]) ? 2 : 1);
  const ms = durationMs(rest.shift() ?? "");
  const over = new AbortController();
  const late = new AbortController();
  const { wait } = call.shell.machine.kubectl.surroundings;
  const isOver = wait(ms, over.signal).then(() => (over.signal.aborted ? undefined : late.abort()));
  try {
    const code = await again(call, rest, AbortSignal.any([call.signal, late.signal]));
    return late.signal.aborted ? 124 : code;
  } finally {
    over.abort();
    await isOver;
  }
}

/** Parses a duration: `5`, `0.5s`, `2m`, `1h`. */
export function durationMs(text: string): number {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`invalid time interval '${text}'`);
  return Number(count) * ({ m: 60, h: 3600, d: 86_400 }[unit] ?? 1) * 1000;
}

function quoted(word: string): string {
  return quotedFor({ dialect: "bash" }, word);
}

const alternate = "\x1b[?1049h\x1b[?25l";
const normal = "\x1b[?25h\x1b[?1049l";

async function watch(call: ProgramCall): Promise<number> {
  const { shell, out, signal } = call;
  const split = call.args.findIndex(
    (arg, at) => !arg.startsWith("-") && !/^(?:-n|--interval)$/.test(call.args[at - 1] ?? ""),
  );
  if (split < 0) throw new Failure("no command given");
  const options = optionsOf(
    call.args.slice(0, split),
    "n:dtgcex --interval= --differences --no-title --chgexit --color",
  );
  const seconds = Number(options.value("n", "interval") ?? 2);
  if (!(seconds > 0)) throw new Error(`failed to parse argument: '${options.value("n", "interval") ?? ""}'`);
  const words = call.args.slice(split);
  const line = words.length === 1 ? (words[0] ?? "") : words.map(quoted).join(" ");
  const { wait, clock } = shell.machine.kubectl.surroundings;
  let before: string | undefined;
  out.write(alternate);
  try {
    for (;;) {
      const all = new Collected();
      const writer = writerTo(all);
      const inner = { ...subshell(shell), input: newReader(emptyInput), out: writer, err: writer };
      await runToEnd(inner, inner.runText(inner, line));
      if (signal.aborted) throw new Interrupted();
      const text = all.take();
      if (options.has("g", "chgexit") && before !== undefined && text !== before) return 0;
      before = text;
      const { columns, rows } = shell.machine.device.size();
      const lines = text.split("\n").map((outputLine) => outputLine.slice(0, columns));
      const at = new Date(clock.nowMs()).toString().slice(0, 24);
      const title = `Every ${seconds.toFixed(1)}s: ${line}`;
      const head = options.has("t", "no-title")
        ? []
        : [title.slice(0, Math.max(columns - 26, 10)).padEnd(columns - 25) + at, ""];
      out.write(`\x1b[H\x1b[2J${[...head, ...lines].slice(0, rows).join("\n")}`);
      await wait(Math.max(seconds, 0.1) * 1000, signal);
      if (signal.aborted) throw new Interrupted();
    }
  } catch (error) {
    if (error instanceof Interrupted) return 0;
    throw error;
  } finally {
    out.write(normal);
  }
}
