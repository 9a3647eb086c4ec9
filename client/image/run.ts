// Applies a RUN to an image: simple commands, one after the other. Nothing is executed, and an unknown command is refused.
import type { Command, List, Redirect, Word } from "../../shared/shell/language/syntax.ts";
import { parseScript } from "../../shared/shell/language/parse.ts";
import { newMetered, Stopped } from "../../shared/shell/meter.ts";
import { BuildProblem } from "./dockerfile.ts";
import type { ImageState } from "./layers.ts";
import type { BuildCommand } from "./command.ts";
import { accountCommands } from "./run-accounts.ts";
import { fileCommands } from "./run-files.ts";
import { packageCommands } from "./run-packages.ts";
import { absolutePath } from "./paths.ts";

export interface RunContext {
  readonly layers: ImageState;
  /** The variables of `ARG` and `ENV`. */
  readonly variables: ReadonlyMap<string, string>;
  readonly line: number;
  note(message: string): void;
}

const noEffect: BuildCommand = () => undefined;

const commands: Readonly<Record<string, BuildCommand>> = {
  ...fileCommands,
  ...accountCommands,
  ...packageCommands,
  cd: (call) => void (call.folder = call.pathOf(call.args[0] ?? "/root")),
  set: noEffect,
  ":": noEffect,
  true: noEffect,
  sync: noEffect,
  "update-ca-certificates": noEffect,
  ldconfig: noEffect,
  echo: ({ args }) => {
    const [first] = args;
    const words = first === "-n" || first === "-e" ? args.slice(1) : args;
    const text = words.join(" ");
    return `${first === "-e" ? unescaped(text) : text}${first === "-n" ? "" : "\n"}`;
  },
  printf: ({ args: [format = "", ...values], refuse }) => {
    if (/%[^s%]/.test(format)) refuse("printf with other formats than %s is not supported");
    let at = 0;
    const once = () =>
      unescaped(format).replace(/%([s%])/g, (_all, letter: string) => (letter === "%" ? "%" : (values[at++] ?? "")));
    let text = once();
    for (let before = 0; at > before && at < values.length; ) {
      before = at;
      text += once();
    }
    return text;
  },
};

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
  return text.replace(/\\([ntr\\])/g, (_all, letter: string) => letters[letter] ?? letter);
}

/** Runs a text for the shell, or the words of one command. Throws `BuildProblem`. */
export function runCommands(commandText: string | readonly string[], context: RunContext): void {
  const state = { folder: context.layers.workingDirOrRoot };
  if (typeof commandText !== "string") return perform(commandText, [], state, context);
  for (const command of commandsOf(commandText, context.line)) {
    if (command.type === "compound" && command.body.kind === "subshell") {
      const inner = { ...state };
      for (const simple of simpleCommands(command.body.list, context.line)) runOne(simple, inner, context);
      continue;
    }
    runOne(command, state, context);
  }
}

/** The limits of work and memory for parsing one RUN. The Dockerfile is the user's own, so they are generous. */
const readingWork = 1_000_000;
const readingBytes = 16 * 1024 * 1024;
const readingDepth = 100;

function commandsOf(text: string, line: number): readonly Command[] {
  try {
    const { list, error, isOpen } = parseScript(text, newMetered(readingWork, readingBytes, readingDepth));
    if (error || isOpen) throw new BuildProblem(line, `the shell cannot read ${JSON.stringify(text)}`);
    return simpleCommands(list, line);
  } catch (error) {
    if (error instanceof Stopped) throw new BuildProblem(line, "is too long");
    throw error;
  }
}

function simpleCommands(list: List, line: number): readonly Command[] {
  return list.map(({ before, pipeline, background }) => {
    const [command, ...furtherCommands] = pipeline.commands;
    if (background !== undefined) throw new BuildProblem(line, "commands in the background are not supported");
    if (before === "||" || pipeline.negated) throw new BuildProblem(line, "conditions (||, !) are not supported");
    if (!command || furtherCommands.length > 0) throw new BuildProblem(line, "pipelines are not supported");
    return command;
  });
}

interface State {
  folder: string;
}

function runOne(command: Command, state: State, context: RunContext): void {
  const { line } = context;
  if (command.type !== "simple") throw new BuildProblem(line, "loops, conditions and functions are not supported");
  if (command.words.length === 0)
    throw new BuildProblem(line, "variables of the shell are not supported: use ARG or ENV");
  perform(
    command.words.map((word) => textOf(word, context)),
    command.redirects,
    state,
    context,
  );
}

function textOf(word: Word, { variables, line }: RunContext): string {
  return word
    .map((piece) => {
      if (piece.type === "text") return piece.text;
      if (piece.type === "variable" && piece.operator === "") return variables.get(piece.name) ?? "";
      throw new BuildProblem(line, "commands and expressions within words are not supported");
    })
    .join("");
}

function perform(words: readonly string[], redirects: readonly Redirect[], state: State, context: RunContext): void {
  const { layers, line, note } = context;
  const [path = "", ...args] = words;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const refuse = (reason: string): never => {
    throw new BuildProblem(line, reason);
  };
  const does = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!does) return refuse(`${name} is not simulated: copy what it makes into the image`);
  const call = {
    name,
    args,
    folder: state.folder,
    layers,
    note,
    refuse,
    pathOf: (path: string) => absolutePath(path, state.folder, line),
  };
  const printed = does(call) ?? "";
  state.folder = call.folder;
  for (const { operator, stream, target, duplicate } of redirects) {
    // The error stream has no effect.
    if (stream === 2 || duplicate) continue;
    if (operator !== ">" && operator !== ">>") refuse(`${operator} is not supported`);
    const to = absolutePath(textOf(target, context), state.folder, line);
    if (to.startsWith("/dev/")) continue;
    if (layers.isFolder(to)) refuse(`${to} is a folder`);
    append(layers, to, printed, operator === ">>");
  }
}

function append(layers: ImageState, path: string, text: string, isLonger: boolean): void {
  const before = layers.files.get(path);
  const old = isLonger ? (before?.bytes ?? new Uint8Array()) : new Uint8Array();
  const added = new TextEncoder().encode(text);
  const bytes = new Uint8Array(old.length + added.length);
  bytes.set(old);
  bytes.set(added, old.length);
  layers.write(path, {
    mode: before?.mode ?? 0o644,
    ...(before?.owner === undefined ? {} : { owner: before.owner }),
    bytes,
  });
}
