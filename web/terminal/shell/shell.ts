// A shell of the terminal, and what surrounds it.
import type { Kubectl } from "../../kubectl/kubectl.ts";
import type { Keyboard } from "../../kubectl/surroundings.ts";
import * as base from "../../../shared/shell/evaluate/shell.ts";
import { runText, runWords } from "../../../shared/shell/evaluate/evaluate.ts";
import { Names } from "../../../shared/shell/names.ts";
import type { TerminalProcess } from "./budget.ts";
import type { History } from "./line/history.ts";
import type { Jobs } from "./jobs.ts";
import { newReader, nothing, type Reader, type Writer, writerTo, nowhere } from "./streams.ts";

/** What a program may do with the terminal beside writing to it. */
export interface Device {
  size(): { readonly columns: number; readonly rows: number };
  /** The next key as it is pressed, unechoed: for pagers. Throws `Interrupted`. */
  key(signal: AbortSignal): Promise<string>;
  /** Opens an editor; undefined: it was left without saving. */
  edit(text: string, options: { readonly name: string; readonly program: string }): Promise<string | undefined>;
}

/** What all shells of a terminal share. */
export interface Machine {
  readonly kubectl: Kubectl;
  readonly device: Device;
  /** For containers that are attached to. */
  readonly keyboard?: Keyboard;
  readonly history: History;
  readonly jobs: Jobs;
  /** Ports of this terminal that `kubectl port-forward` leads to pods: the path of the pod's proxy, by port. */
  readonly forwarded: Map<number, string>;
  /** Whether a command has run so long that the page waits for its turn. */
  isTurnOver(): boolean;
  /** Gives the page its turn if it is over. Throws `Interrupted`. */
  breathe(signal: AbortSignal): Promise<void>;
}

export interface Shell extends base.Shell {
  readonly machine: Machine;
  readonly process: TerminalProcess;
  input: Reader;
  out: Writer;
  err: Writer;
}

export const home = "/home/user";

/** Calls of functions within one another, as bash has it of a variable. */
const mostCalls = "200";

export function newShell(machine: Machine, process: TerminalProcess, host: base.Host): Shell {
  const variables = new Map([
    ["HOME", home],
    ["USER", "user"],
    ["SHELL", "/bin/bash"],
    ["TERM", "xterm-256color"],
    ["PATH", "/usr/local/bin:/usr/bin:/bin"],
    ["EDITOR", "vi"],
  ]);
  const streams = { input: newReader(nothing), out: writerTo(nowhere), err: writerTo(nowhere) };
  const shell: Shell = {
    ...base.newShell(process, {
      host,
      variables: new Names(process, variables),
      startMs: machine.kubectl.around.clock.nowMs(),
      folder: machine.kubectl.around.files.folder,
      parameters: ["bash"],
      dialect: "bash",
      isStrict: true,
      source: "typed",
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

/** Whether programs get a variable. */
export function isExported({ attributes, variables }: Shell, name: string): boolean {
  return variables.has(name) && !name.includes("[") && !attributes.get(name)?.includes("-");
}
