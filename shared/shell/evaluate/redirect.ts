// Redirections: where a command reads from and writes to.
import type { Redirect, Word } from "../language/syntax.ts";
import { type Deferred, finished, type Task } from "../task.ts";
import { complain, type Words } from "./complaints.ts";
import type { Input, Shell, Sink, Streams } from "./shell.ts";

type Expand = (shell: Shell, word: Word) => Deferred<string>;

/** Opens the streams of a command; undefined if one cannot be opened, which is the command's failure. */
export function redirect(shell: Shell, redirects: readonly Redirect[], expand: Expand): Deferred<Streams | undefined> {
  if (redirects.length === 0) return { input: shell.input, out: shell.out, err: shell.err };
  return redirectAll(shell, redirects, expand);
}

function* redirectAll(shell: Shell, redirects: readonly Redirect[], expand: Expand): Task<Streams | undefined> {
  const { host } = shell;
  const streams: Streams = { input: shell.input, out: shell.out, err: shell.err };
  for (const { operator, stream, target, duplicate } of redirects) {
    const text = yield* finished(expand(shell, target));
    if (operator === "<<" || operator === "<<<")
      streams.input = host.textInput(operator === "<<<" ? `${text}\n` : text);
    else if (operator === "<") {
      if (duplicate) continue;
      const input = yield* openedInput(shell, text);
      if (!input) return undefined;
      if (stream === 0) streams.input = input;
    } else if (duplicate && text === "-") {
      if (stream === 2) streams.err = host.nowhere;
      else streams.out = host.nowhere;
    } else {
      const isStream = duplicate && /^\d$/.test(text);
      const sink = isStream
        ? text === "2"
          ? streams.err
          : streams.out
        : yield* openedOutput(shell, text, operator === ">>");
      if (!sink) return undefined;
      if (stream !== 2) streams.out = sink;
      if (stream === 2 || stream === "both") streams.err = sink;
    }
  }
  return streams;
}

function* openedInput(shell: Shell, name: string): Task<Input | undefined> {
  const input = yield* finished(shell.host.openInput(shell, name));
  return typeof input === "string" ? refuse(shell, cannotRead(name, input === "folder")) : input;
}

function* openedOutput(shell: Shell, name: string, appends: boolean): Task<Sink | undefined> {
  const sink = yield* finished(shell.host.openOutput(shell, name, appends));
  return typeof sink === "string" ? refuse(shell, cannotWrite(name, sink)) : sink;
}

function refuse(shell: Shell, words: Words): undefined {
  complain(shell, words);
  shell.exitCode = shell.dialect === "dash" ? 2 : 1;
  return undefined;
}

function cannotRead(name: string, isFolder: boolean): Words {
  if (isFolder) {
    const reason = `${name}: Is a directory`;
    return { ash: `can't open ${reason}`, dash: `cannot open ${reason}`, bash: reason };
  }
  return {
    ash: `can't open ${name}: no such file`,
    dash: `cannot open ${name}: No such file`,
    bash: `${name}: No such file or directory`,
  };
}

const ofBash: Readonly<Record<string, string>> = {
  "nonexistent directory": "No such file or directory",
  "File exists": "cannot overwrite existing file",
};

function cannotWrite(name: string, problem: string): Words {
  return {
    ash: `can't create ${name}: ${problem}`,
    dash: `cannot create ${name}: ${problem === "nonexistent directory" ? "Directory nonexistent" : problem}`,
    bash: `${name}: ${ofBash[problem] ?? problem}`,
  };
}
