// A shell of the terminal, and its environment.
import type { Kubectl } from "../../kubectl/kubectl.ts";
import type { Keyboard } from "../../kubectl/surroundings.ts";
import * as base from "../../../shared/shell/evaluate/shell.ts";
import { runText, runWords } from "../../../shared/shell/evaluate/evaluate.ts";
import { Names } from "../../../shared/shell/names.ts";
import type { TerminalProcess } from "./budget.ts";
import type { History } from "./line/history.ts";
import type { Jobs } from "./jobs.ts";
import { newReader, emptyInput, type Reader, type Writer, writerTo, discardedOutput } from "./streams.ts";

/** The terminal as programs use it, besides writing. */
export interface Device {
  size(): { readonly columns: number; readonly rows: number };
  /** Returns the next key without echo, for pagers. Throws `Interrupted`. */
  key(signal: AbortSignal): Promise<string>;
  /** Opens an editor. Returns undefined if it was left without saving. */
  edit(text: string, options: { readonly name: string; readonly program: string }): Promise<string | undefined>;
}

/** The state that all shells of a terminal share. */
export interface TerminalState {
  readonly kubectl: Kubectl;
  readonly device: Device;
  /** The keyboard of attached containers. */
  readonly keyboard?: Keyboard;
  readonly history: History;
  readonly jobs: Jobs;
  /** The ports that `kubectl port-forward` forwards to pods, with the path of each pod's proxy. */
  readonly forwarded: Map<number, string>;
  /** Reports whether a command has run so long that it must yield to the page. */
  isTurnOver(): boolean;
  /** Yields to the page if necessary. Throws `Interrupted`. */
  yieldToPage(signal: AbortSignal): Promise<void>;
}

export interface Shell extends base.Shell {
  readonly machine: TerminalState;
  readonly process: TerminalProcess;
  input: Reader;
  out: Writer;
  err: Writer;
}

export const home = "/home/user";

/** The maximum nesting of function calls; bash has a variable for it. */
const mostCalls = "200";

export function newShell(machine: TerminalState, process: TerminalProcess, host: base.Host): Shell {
  const variables = new Map([
    ["HOME", home],
    ["USER", "user"],
    ["SHELL", "/bin/bash"],
    ["TERM", "xterm-256color"],
    ["PATH", "/usr/local/bin:/usr/bin:/bin"],
    ["EDITOR", "vi"],
  ]);
  const streams = { input: newReader(emptyInput), out: writerTo(discardedOutput), err: writerTo(discardedOutput) };
  const shell: Shell = {
    ...base.newShell(process, {
      host,
      variables: new Names(process, variables),
      startMs: machine.kubectl.surroundings.clock.nowMs(),
      folder: machine.kubectl.surroundings.files.folder,
      parameters: ["bash"],
      dialect: "bash",
      isStrict: true,
      source: "typed",
      // A terminal's shell stays: no command is its last, and none replaces its process.
      last: false,
      takesProcess: false,
      run: runWords,
      runText,
      ...streams,
    }),
    ...streams,
    machine,
    process,
  };
  base.setVariable(shell, "FUNCNEST", mostCalls);
  shell.aliases.set("k", "kubectl");
  shell.aliases.set("ll", "ls -l");
  return shell;
}

/**
 * Reports whether programs receive a variable. Unlike in bash, every variable is exported, except elements of lists and variables that
 * `export -n` marked with the attribute `-`.
 */
export function isExported({ attributes, variables }: Shell, name: string): boolean {
  return variables.has(name) && !name.includes("[") && !attributes.get(name)?.includes("-");
}
