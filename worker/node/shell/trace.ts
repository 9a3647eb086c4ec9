// Follows a program from its start: what it prints, what it does to files, how and when it ends.
import { runText, runWords } from "./evaluate.ts";
import { applyEdit, type Edit, type Files, newFiles } from "./files.ts";
import { type Chunk, emptyWorld, nobodyKnown, type Process, type Self, type World } from "./process.ts";
import { interruptible, isTyped } from "./input.ts";
import { isInteractive } from "./interact.ts";
import { type Input, type Shell, toChunks } from "./shell.ts";

export interface Start {
  readonly words: readonly string[];
  readonly startMs: number;
  readonly untilMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Files;
  readonly outside?: readonly Edit[];
  readonly folder?: string;
  readonly world?: World;
  readonly namespace?: string;
  readonly host?: string;
  readonly self?: Self;
  readonly termMs?: number;
  readonly memoryLimit?: number | undefined;
  readonly readOnly?: readonly string[];
  readonly unknown?: Process["unknown"];
  readonly programs?: ReadonlySet<string> | undefined;
  readonly interactive?: boolean;
  readonly input?: string | Input;
  /** What listens in its network already. */
  readonly ports?: ReadonlyMap<number, number>;
  readonly beside?: Process["beside"];
  /** Every line is wanted: alike rounds of loops are run as well. */
  readonly prints?: boolean;
  readonly steps?: number;
}

export interface Trace {
  readonly chunks: readonly Chunk[];
  /** Its files at its start, what it changed, and what others changed. */
  readonly initial: Files;
  readonly edits: readonly Edit[];
  readonly outside: readonly Edit[];
  /** Absent while it runs. */
  readonly end: { readonly atMs: number; readonly exitCode: number; readonly oom: boolean } | undefined;
  /** It is known that it never ends by itself. */
  readonly endless: boolean;
  /** Nothing is known of what comes after this moment; Infinity if all is. */
  readonly knownMs: number;
  readonly waitsFor: ReadonlySet<string>;
  readonly heedsTerm: boolean;
  readonly traps: boolean;
  readonly ports: ReadonlyMap<number, number>;
  readonly server: string | undefined;
}

/** A program may run so many commands; what it does after that is not known. */
const defaultSteps = 20_000;

export function trace(start: Start): Trace {
  const process = processOf(start);
  const initial: Files = new Map(process.files);
  const outside = [...process.outside];
  const shell = shellOf(process, start);
  run(shell, start.words);
  const { clockMs, paused, endless, restless, oom } = process;
  return {
    chunks: process.chunks.sort((a, b) => a.atMs - b.atMs),
    edits: process.edits.sort((a, b) => a.atMs - b.atMs),
    initial,
    outside,
    end: paused ? undefined : { atMs: clockMs, exitCode: oom ? 137 : shell.exitCode, oom },
    endless,
    knownMs: paused && (!endless || restless) ? clockMs : Number.POSITIVE_INFINITY,
    waitsFor: process.waitsFor,
    heedsTerm: process.heedsTerm,
    traps: shell.traps.has("TERM"),
    ports: process.ports,
    server: process.server,
  };
}

function run(shell: Shell, words: readonly string[]): void {
  const { process, input } = shell;
  // A shell that is typed to is not ended by an interruption; other programs are.
  if (!isTyped(input) || isInteractive(words)) return runWords(shell, words);
  if (interruptible(process, input, () => runWords(shell, words))) shell.exitCode = 130;
}

function processOf(start: Start): Process {
  const files = start.files ? new Map(start.files) : newFiles();
  const outside = [...(start.outside ?? [])].sort((a, b) => a.atMs - b.atMs);
  while ((outside[0]?.atMs ?? Number.POSITIVE_INFINITY) <= start.startMs) {
    const edit = outside.shift();
    if (edit) applyEdit(files, edit);
  }
  return {
    clockMs: start.startMs,
    untilMs: start.untilMs,
    stepsLeft: start.steps ?? defaultSteps,
    paused: false,
    endless: false,
    restless: false,
    prints: start.prints ?? false,
    oom: false,
    version: 0,
    files,
    edits: [],
    outside,
    chunks: [],
    world: start.world ?? emptyWorld,
    namespace: start.namespace ?? "default",
    waitsFor: new Set(),
    nextNewsMs: Number.POSITIVE_INFINITY,
    termMs: start.termMs ?? Number.POSITIVE_INFINITY,
    termSeen: false,
    heedsTerm: false,
    trapped: false,
    memoryLimit: start.memoryLimit,
    readOnly: start.readOnly ?? [],
    jobs: [],
    ports: new Map(start.ports),
    server: undefined,
    beside: start.beside,
    unknown: start.unknown ?? "serves",
    programs: start.programs,
    seed: 1,
    host: start.host ?? "localhost",
    self: start.self ?? nobodyKnown,
    interactive: start.interactive ?? false,
  };
}

function shellOf(process: Process, start: Start): Shell {
  return {
    process,
    variables: new Map(Object.entries(start.environment ?? {})),
    functions: new Map(),
    parameters: ["sh"],
    folder: start.folder ?? "/",
    exitCode: 0,
    flow: undefined,
    input: typeof start.input === "string" ? { rest: start.input } : start.input,
    out: toChunks(process, "stdout"),
    err: toChunks(process, "stderr"),
    stopsOnFailure: false,
    escapes: false,
    traces: false,
    traps: new Map(),
    last: true,
    own: true,
    captured: false,
    run: runWords,
    runText,
  };
}
