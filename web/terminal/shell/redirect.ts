// Redirections: files, streams, here-documents.
import { resolvePath } from "../../kubectl/files.ts";
import { expandText, type Substitute } from "./expand.ts";
import type { Redirect } from "../../../shared/shell/language/syntax.ts";
import { Failure, folderOf, type Io, type Shell } from "./shell.ts";
import { nothing, nowhere, type Sink, type Source, textSource } from "./streams.ts";

export interface Redirected {
  readonly io: Io;
  /** Writes what files are still to get; throws where there is no room. */
  finish(): void;
}

/** Throws a `Failure` where a file cannot be opened. */
export async function redirect(
  shell: Shell,
  redirects: readonly Redirect[],
  io: Io,
  substitute: Substitute,
): Promise<Redirected> {
  const open: FileSink[] = [];
  let { input, out, err } = io;
  for (const one of redirects) {
    const target = await expandText(shell, one.target, substitute);
    if (one.operator === "<<") input = textSource(target);
    else if (one.operator === "<<<") input = textSource(`${target}\n`);
    else if (one.operator === "<") input = one.duplicate ? input : opened(shell, target, io);
    else if (one.duplicate && (target === "1" || target === "2")) {
      const from = target === "1" ? out : err;
      if (one.stream === 2) err = from;
      else out = from;
    } else if (one.duplicate && target === "-") {
      if (one.stream === 2) err = nowhere;
      else out = nowhere;
    } else {
      const sink = sinkAt(shell, target, one.operator === ">>", io, open);
      if (one.stream === 1 || one.stream === "both" || one.duplicate) out = sink;
      if (one.stream === 2 || one.stream === "both" || one.duplicate) err = sink;
    }
  }
  return { io: { ...io, input, out, err }, finish: () => open.forEach((one) => one.flush()) };
}

function opened(shell: Shell, name: string, io: Io): Source {
  const { files } = shell.machine.kubectl.around;
  const path = resolvePath(folderOf(shell), name);
  if (path === "/dev/null") return nothing;
  if (path === "/dev/stdin" || path === "/dev/tty") return io.input;
  const text = files.read(path);
  if (text !== undefined) return textSource(text);
  throw new Failure(`${name}: ${files.list(path) ? "Is a directory" : "No such file or directory"}`);
}

function sinkAt(shell: Shell, name: string, appends: boolean, io: Io, open: FileSink[]): Sink {
  const { files } = shell.machine.kubectl.around;
  if (name === "") throw new Failure(": No such file or directory");
  const path = resolvePath(folderOf(shell), name);
  if (path === "/dev/null") return nowhere;
  if (path === "/dev/stdout" || path === "/dev/tty") return io.out;
  if (path === "/dev/stderr") return io.err;
  if (files.list(path)) throw new Failure(`${name}: Is a directory`);
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  if (!files.list(folder)) throw new Failure(`${name}: No such file or directory`);
  const sink = new FileSink(path, shell);
  if (!appends) sink.clear();
  else if (files.read(path) === undefined) sink.clear();
  open.push(sink);
  return sink;
}

/** Characters that are kept back before they are written. */
const portion = 64 * 1024;

/** Appends to a file, in portions. */
class FileSink implements Sink {
  readonly isTerminal = false;
  readonly #path: string;
  readonly #shell: Shell;
  #kept = "";

  constructor(path: string, shell: Shell) {
    this.#path = path;
    this.#shell = shell;
  }

  clear(): void {
    write(this.#shell, this.#path, "");
  }

  write(text: string): void {
    this.#kept += text;
    if (this.#kept.length > portion) this.flush();
  }

  flush(): void {
    if (this.#kept === "") return;
    const before = this.#shell.machine.kubectl.around.files.read(this.#path) ?? "";
    const all = before + this.#kept;
    this.#kept = "";
    write(this.#shell, this.#path, all);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }
}

function write(shell: Shell, path: string, text: string): void {
  try {
    shell.machine.kubectl.around.files.write(path, text);
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error));
  }
}
