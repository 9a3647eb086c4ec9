// A shell of the terminal: variables, functions, where it stands, and what surrounds it.
import type { Kubectl } from "../../kubectl/kubectl.ts";
import type { Keyboard } from "../../kubectl/surroundings.ts";
import type { Command } from "../../../shared/shell/language/syntax.ts";
import type { Metered } from "../../../shared/shell/meter.ts";
import type { History } from "./line/history.ts";
import type { Jobs } from "./jobs.ts";
import type { Sink, Source } from "./streams.ts";

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
  /** Gives the page its turn when a command has run for long. Throws `Interrupted`. */
  breathe(signal: AbortSignal): Promise<void>;
}

export interface Shell {
  readonly machine: Machine;
  /** Pays for what expansions do. */
  readonly process: Metered;
  /** A list is kept as `name[0]`, `name[1]` and so on. */
  readonly variables: Map<string, string>;
  /** The names that `env` shows. */
  readonly exported: Set<string>;
  /** By variable, letters as `declare` has them. */
  readonly attributes: Map<string, string>;
  readonly aliases: Map<string, string>;
  readonly functions: Map<string, Command>;
  /** `$0`, `$1`, … */
  parameters: readonly string[];
  exitCode: number;
  readonly settings: { errexit: boolean; pipefail: boolean; xtrace: boolean; nounset: boolean };
  /** Calls of functions and scripts within one another. */
  depth: number;
}

export interface Io {
  readonly input: Source;
  readonly out: Sink;
  readonly err: Sink;
  readonly signal: AbortSignal;
}

/** `break`, `continue`, `return` and `exit` on their way. */
export class Leave extends Error {
  override name = "Leave";
  readonly kind: "break" | "continue" | "return" | "exit";
  /** Loops to leave, or the exit code. */
  readonly value: number;

  constructor(kind: Leave["kind"], value: number) {
    super(kind);
    this.kind = kind;
    this.value = value;
  }
}

/** Told as `bash: …`; the command ends with this code. */
export class Failure extends Error {
  override name = "Failure";
  readonly code: number;

  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}

export const home = "/home/user";

/** The characters that all variables of a shell may take. */
const maxVariables = 1024 * 1024;

export function newShell(machine: Machine, process: Metered): Shell {
  const variables = new Map([
    ["HOME", home],
    ["USER", "user"],
    ["SHELL", "/bin/bash"],
    ["TERM", "xterm-256color"],
    ["PATH", "/usr/local/bin:/usr/bin:/bin"],
    ["EDITOR", "vi"],
  ]);
  return {
    machine,
    process,
    variables,
    exported: new Set(variables.keys()),
    attributes: new Map(),
    aliases: new Map([
      ["k", "kubectl"],
      ["ll", "ls -l"],
    ]),
    functions: new Map(),
    parameters: ["bash"],
    exitCode: 0,
    settings: { errexit: false, pipefail: false, xtrace: false, nounset: false },
    depth: 0,
  };
}

/** What it changes stays its own, except files. */
export function subshell(shell: Shell): Shell {
  return {
    ...shell,
    variables: new Map(shell.variables),
    exported: new Set(shell.exported),
    attributes: new Map(shell.attributes),
    aliases: new Map(shell.aliases),
    functions: new Map(shell.functions),
    settings: { ...shell.settings },
  };
}

export function folderOf({ machine }: Shell): string {
  return machine.kubectl.around.files.folder;
}

export function setVariable({ variables }: Shell, name: string, value: string): void {
  let size = value.length;
  for (const [other, text] of variables) if (other !== name) size += other.length + text.length;
  if (size > maxVariables) throw new Failure(`${name}: variables of more than 1 MB cannot be held`);
  variables.set(name, value);
}
