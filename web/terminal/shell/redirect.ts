// Files that the terminal's shell opens for its commands.
import { absolute } from "../../../shared/shell/paths.ts";
import type { Shell } from "./shell.ts";
import {
  newReader,
  emptyInput,
  discardedOutput,
  type Reader,
  type Sink,
  textSource,
  type Writer,
  writerTo,
} from "./streams.ts";

export function openInput(shell: Shell, name: string): Reader | "missing" | "folder" {
  const { files } = shell.machine.kubectl.surroundings;
  const path = absolute(name, shell.folder);
  if (path === "/dev/null") return newReader(emptyInput);
  if (path === "/dev/stdin" || path === "/dev/tty") return shell.input;
  const text = files.read(path);
  if (text !== undefined) return newReader(textSource(text));
  return files.list(path) ? "folder" : "missing";
}

/** Returns why a file cannot be opened if it cannot. */
export function openOutput(shell: Shell, name: string, appends: boolean): Writer | string {
  const { files } = shell.machine.kubectl.surroundings;
  if (name === "") return "nonexistent directory";
  const path = absolute(name, shell.folder);
  if (path === "/dev/null") return writerTo(discardedOutput);
  if (path === "/dev/stdout" || path === "/dev/tty") return shell.out;
  if (path === "/dev/stderr") return shell.err;
  if (files.list(path)) return "Is a directory";
  if (!files.list(path.slice(0, path.lastIndexOf("/")) || "/")) return "nonexistent directory";
  const isThere = files.read(path) !== undefined;
  if (shell.options.noclobber && !appends && isThere) return "File exists";
  try {
    if (!appends || !isThere) files.write(path, "");
  } catch {
    return "No space left on device";
  }
  return writerTo(new FileSink(path, shell));
}

/** The number of characters that are buffered before they are written. */
const portion = 64 * 1024;

/** Appends to a file, in portions. */
class FileSink implements Sink {
  readonly isTerminal = false;
  readonly #path: string;
  readonly #shell: Shell;
  #kept = "";
  #isClosed = false;

  constructor(path: string, shell: Shell) {
    this.#path = path;
    this.#shell = shell;
  }

  write(text: string): void {
    this.#kept += text;
    // After `exec > file` more is written than its command wrote.
    if (this.#isClosed || this.#kept.length > portion) this.#write();
  }

  flush(): void {
    this.#isClosed = true;
    this.#write();
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  #write(): void {
    if (this.#kept === "") return;
    const { files } = this.#shell.machine.kubectl.surroundings;
    const all = (files.read(this.#path) ?? "") + this.#kept;
    this.#kept = "";
    files.write(this.#path, all);
  }
}
