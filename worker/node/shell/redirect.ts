// Redirections: where a command reads from and writes to.
import { limits } from "../../../shared/base/limits.ts";
import { absolute, exists, isFolder } from "./files.ts";
import { streamOf } from "./from-outside.ts";
import { edit, mountOf } from "./process.ts";
import { complain, type Words } from "./dialects/complaints.ts";
import { type Input, type Shell, type Sink, toChunks } from "./shell.ts";
import { type Deferred, finished, type Task } from "../../../shared/shell/task.ts";
import type { Redirect, Word } from "../../../shared/shell/language/syntax.ts";

export interface Streams {
  input: Input | undefined;
  out: Sink;
  err: Sink;
}

/** The streams of a command; undefined if one cannot be opened, which is its failure. */
export function redirect(
  shell: Shell,
  redirects: readonly Redirect[],
  expand: (shell: Shell, word: Word) => Deferred<string>,
): Deferred<Streams | undefined> {
  if (redirects.length === 0) return { input: shell.input, out: shell.out, err: shell.err };
  return redirectAll(shell, redirects, expand);
}

function* redirectAll(
  shell: Shell,
  redirects: readonly Redirect[],
  expand: (shell: Shell, word: Word) => Deferred<string>,
): Task<Streams | undefined> {
  const streams: Streams = { input: shell.input, out: shell.out, err: shell.err };
  for (const { operator, stream, target, duplicate } of redirects) {
    const text = yield* finished(expand(shell, target));
    if (operator === "<<" || operator === "<<<") streams.input = { rest: operator === "<<<" ? `${text}\n` : text };
    else if (operator === "<") {
      const path = absolute(text, shell.folder);
      const content = path === "/dev/null" ? "" : shell.process.files.get(path)?.text;
      if (duplicate) continue;
      if (content === undefined) return refuse(shell, cannotRead(shell, text, path));
      if (stream === 0) streams.input = { rest: content };
    } else if (duplicate && text === "-") {
      if (stream === 2) streams.err = () => undefined;
      else streams.out = () => undefined;
    } else {
      const isStream = duplicate && /^\d$/.test(text);
      const sink = isStream ? (text === "2" ? streams.err : streams.out) : opened(shell, text, operator === ">>");
      if (!sink) return undefined;
      if (stream !== 2) streams.out = sink;
      if (stream === 2 || stream === "both") streams.err = sink;
    }
  }
  return streams;
}

function refuse(shell: Shell, words: Words): undefined {
  complain(shell, words);
  shell.exitCode = shell.dialect === "dash" ? 2 : 1;
  return undefined;
}

function cannotRead({ process }: Shell, name: string, path: string): Words {
  if (isFolder(process.files, path)) {
    const reason = `${name}: Is a directory`;
    return { ash: `can't open ${reason}`, dash: `cannot open ${reason}`, bash: reason };
  }
  return {
    ash: `can't open ${name}: no such file`,
    dash: `cannot open ${name}: No such file`,
    bash: `${name}: No such file or directory`,
  };
}

function cannotWrite(name: string, problem: string): Words {
  const isNowhere = problem === "nonexistent directory";
  return {
    ash: `can't create ${name}: ${problem}`,
    dash: `cannot create ${name}: ${isNowhere ? "Directory nonexistent" : problem}`,
    bash: `${name}: ${isNowhere ? "No such file or directory" : problem}`,
  };
}

function opened(shell: Shell, name: string, appends: boolean): Sink | undefined {
  const { process } = shell;
  const path = absolute(name, shell.folder);
  if (path === "/dev/null") return () => undefined;
  // A command's words for the container's log reach it as those of a visitor do.
  if (!process.isFirst && streamOf(path)) return (text) => edit(process, { path, text, appends: true });
  if (/^\/(dev\/stdout|proc\/(1|self)\/fd\/1)$/.test(path)) return toChunks(process, "stdout");
  if (/^\/(dev\/stderr|proc\/(1|self)\/fd\/2)$/.test(path)) return toChunks(process, "stderr");
  const problem = whyNotWritable(shell, path);
  if (problem !== undefined) return refuse(shell, cannotWrite(name, problem));
  const before = process.files.get(path)?.text;
  if (shell.options.noclobber && !appends && before !== undefined)
    return refuse(shell, {
      ash: `can't create ${name}: File exists`,
      dash: `cannot create ${name}: File exists`,
      bash: `${name}: cannot overwrite existing file`,
    });
  if (!appends || before === undefined) edit(process, { path, text: "" });
  return (text) => edit(process, { path, text, appends: true });
}

/** Why nothing can be written there, in the words of a shell. */
export function whyNotWritable({ process }: Shell, path: string): string | undefined {
  if (mountOf(process, path)?.readOnly) return "Read-only file system";
  if (path.length > limits.pathBytes) return "File name too long";
  if (isFolder(process.files, path)) return "Is a directory";
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  // The folders of an image that is not known are not known either.
  return process.knowsFiles && !exists(process.files, folder) ? "nonexistent directory" : undefined;
}
