// Runs what was read: lists, pipelines, conditions and functions.
import { parseScript, type Script } from "../../../shared/shell/language/parse.ts";
import { problemLines } from "../../../shared/shell/language/problem.ts";
import type { Body, Command, List, Pipeline, Simple, Word } from "../../../shared/shell/language/syntax.ts";
import { literal } from "../../../shared/shell/language/syntax.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { globMatches, globOf } from "../../../shared/shell/patterns/glob.ts";
import { quotedExpression } from "../../../shared/shell/patterns/regular.ts";
import { assign, type Value, valuesOf } from "./assign.ts";
import { failureOf, newBudget, renew } from "./budget.ts";
import { arithmeticValue, expandPattern, expandText, expandWords, type Substitute } from "./expand.ts";
import { redirect } from "./redirect.ts";
import { Failure, type Io, Leave, type Shell, setVariable, subshell } from "./shell.ts";
import { Collected, Interrupted, nothing, Pipe } from "./streams.ts";

/** Starts the program of that name; handed in, since some programs run commands themselves. */
export type Start = (name: string, args: readonly string[], shell: Shell, io: Io) => Promise<number>;

const maxCalls = 200;
/** Of what Ctrl-C ended. */
export const interruptedCode = 130;
const brokenPipeCode = 141;

export class Runner {
  readonly #start: Start;
  /** Whether there is a program of this name. */
  readonly knows: (name: string) => boolean;

  constructor(start: Start, knows: (name: string) => boolean) {
    this.#start = start;
    this.knows = knows;
  }

  /** A line or a script; errors of its syntax are told. Gives the exit code; throws `Leave` for `exit`, and `Interrupted`. */
  async runText(shell: Shell, text: string, io: Io): Promise<number> {
    let script: Script;
    try {
      script = parsed(text);
    } catch (error) {
      shell.exitCode = told(error, io);
      return shell.exitCode;
    }
    const { list, error } = script;
    await this.runList(shell, list, io);
    if (error) {
      io.err.write(`bash: ${problemLines(error, "bash")[0] ?? ""}\n`);
      shell.exitCode = 2;
    }
    return shell.exitCode;
  }

  async runList(shell: Shell, list: List, io: Io): Promise<void> {
    for (const [at, item] of list.entries()) {
      if (item.before === "&&" && shell.exitCode !== 0) continue;
      if (item.before === "||" && shell.exitCode === 0) continue;
      if (item.background !== undefined) this.#inBackground(shell, item.pipeline, item.background, io);
      else await this.#runPipeline(shell, item.pipeline, io);
      const decides = (list[at + 1]?.before ?? ";") === ";" && !item.pipeline.negated;
      if (decides && shell.settings.errexit && shell.exitCode !== 0) throw new Leave("exit", shell.exitCode);
    }
  }

  #inBackground(shell: Shell, pipeline: Pipeline, text: string, io: Io): void {
    const inner = subshell(shell);
    const run = (signal: AbortSignal) =>
      this.#ended(inner, { ...io, input: nothing, signal }, (own) => this.#runPipeline(inner, pipeline, own));
    const { id } = shell.machine.jobs.start(text, run);
    if (io.err.isTerminal) io.err.write(`[${id}] ${1000 + id}\n`);
    shell.exitCode = 0;
  }

  /** Runs a part that has a shell of its own to its end, whatever ends it; gives its exit code. */
  async #ended(shell: Shell, io: Io, run: (io: Io) => Promise<void>): Promise<number> {
    try {
      await run(io);
      return shell.exitCode;
    } catch (error) {
      if (error instanceof Leave) return error.kind === "exit" ? error.value : shell.exitCode;
      if (error instanceof Interrupted) return interruptedCode;
      return told(error, io);
    }
  }

  async #runPipeline(shell: Shell, { commands, negated }: Pipeline, io: Io): Promise<void> {
    const [only] = commands;
    if (commands.length === 1 && only) await this.#runCommand(shell, only, io);
    else await this.#runStages(shell, commands, io);
    if (negated) shell.exitCode = shell.exitCode === 0 ? 1 : 0;
  }

  /** All at once, each in a shell of its own. Who writes what nobody reads any more is ended. */
  async #runStages(shell: Shell, commands: readonly Command[], io: Io): Promise<void> {
    const folder = shell.machine.kubectl.around.files.folder;
    let input = io.input;
    const codes = commands.map(async (command, at) => {
      const isLast = at === commands.length - 1;
      const broken = new AbortController();
      const pipe = isLast ? undefined : new Pipe(() => broken.abort());
      const signal = pipe ? AbortSignal.any([io.signal, broken.signal]) : io.signal;
      const own: Io = { ...io, input, out: pipe ?? io.out, signal };
      const source = input;
      input = pipe ?? nothing;
      const inner = subshell(shell);
      const code = await this.#ended(inner, own, (given) => this.#runCommand(inner, command, given));
      pipe?.end();
      if (at > 0) source.close();
      return broken.signal.aborted ? brokenPipeCode : code;
    });
    const found = await Promise.all(codes);
    shell.machine.kubectl.around.files.folder = folder;
    if (io.signal.aborted) throw new Interrupted();
    const failed = found.findLast((code) => code !== 0) ?? 0;
    shell.exitCode = shell.settings.pipefail ? failed : (found.at(-1) ?? 0);
  }

  async #runCommand(shell: Shell, command: Command, io: Io): Promise<void> {
    await shell.machine.breathe(io.signal);
    renew(shell.process);
    try {
      if (command.type === "simple") return await this.#runSimple(shell, command, io);
      const { io: own, finish } = await redirect(shell, command.redirects, io, this.#substitute(shell, io));
      try {
        await this.#runBody(shell, command.body, own);
      } finally {
        finish();
      }
    } catch (error) {
      shell.exitCode = told(error, io);
    }
  }

  async #runBody(shell: Shell, body: Body, io: Io): Promise<void> {
    switch (body.kind) {
      case "group":
        return this.runList(shell, body.list, io);
      case "subshell": {
        const { files } = shell.machine.kubectl.around;
        const { folder } = files;
        const inner = subshell(shell);
        shell.exitCode = await this.#ended(inner, io, (own) => this.runList(inner, body.list, own));
        files.folder = folder;
        return;
      }
      case "while":
        return this.#loop(shell, async () => {
          await this.#runCondition(shell, body.condition, io);
          if ((shell.exitCode === 0) === body.until) return false;
          await this.runList(shell, body.list, io);
          return true;
        });
      case "counted":
        return this.#runCounted(shell, body, io);
      case "for": {
        const words = body.words
          ? await expandWords(shell, body.words, this.#substitute(shell, io))
          : shell.parameters.slice(1);
        return this.#loop(shell, async () => {
          const word = words.shift();
          if (word === undefined) return false;
          setVariable(shell, body.name, word);
          await this.runList(shell, body.list, io);
          return true;
        });
      }
      case "if":
        return this.#runIf(shell, body, io);
      case "case":
        return this.#runCase(shell, body, io);
      case "function":
        shell.functions.set(body.name, body.body);
        shell.exitCode = 0;
        return;
      case "arithmetic":
        shell.exitCode = (await arithmeticValue(shell, body.expression, this.#substitute(shell, io))) === 0n ? 1 : 0;
    }
  }

  /** `for ((i = 0; i < 3; i++))`. */
  async #runCounted(
    shell: Shell,
    { parts: [first = [], condition = [], step = []], list }: Body & { kind: "counted" },
    io: Io,
  ): Promise<void> {
    const value = (word: Word) => arithmeticValue(shell, word, this.#substitute(shell, io));
    const isEmpty = condition.every((one) => one.type === "text" && one.text.trim() === "");
    await value(first);
    let isFirst = true;
    await this.#loop(shell, async () => {
      if (!isFirst) await value(step);
      isFirst = false;
      if (!isEmpty && (await value(condition)) === 0n) return false;
      await this.runList(shell, list, io);
      return true;
    });
  }

  /** `round` tells whether there may be another one. */
  async #loop(shell: Shell, round: () => Promise<boolean>): Promise<void> {
    let code = 0;
    for (;;) {
      try {
        if (!(await round())) break;
        code = shell.exitCode;
      } catch (error) {
        if (!(error instanceof Leave) || (error.kind !== "break" && error.kind !== "continue")) throw error;
        if (error.value > 1) throw new Leave(error.kind, error.value - 1);
        if (error.kind === "break") break;
      }
    }
    shell.exitCode = code;
  }

  /** Its failure is no reason to stop. */
  async #runCondition(shell: Shell, list: List, io: Io): Promise<void> {
    const { errexit } = shell.settings;
    shell.settings.errexit = false;
    try {
      await this.runList(shell, list, io);
    } finally {
      shell.settings.errexit = errexit;
    }
  }

  async #runIf(shell: Shell, { arms, otherwise }: Body & { kind: "if" }, io: Io): Promise<void> {
    for (const { condition, list } of arms) {
      await this.#runCondition(shell, condition, io);
      if (shell.exitCode === 0) return this.runList(shell, list, io);
    }
    shell.exitCode = 0;
    if (otherwise) await this.runList(shell, otherwise, io);
  }

  async #runCase(shell: Shell, { word, arms }: Body & { kind: "case" }, io: Io): Promise<void> {
    const substitute = this.#substitute(shell, io);
    const text = await expandText(shell, word, substitute);
    shell.exitCode = 0;
    const spend = (units: number) => charge(shell.process, units);
    for (const { patterns, list } of arms) {
      for (const pattern of patterns) {
        const glob = globOf(await expandPattern(shell, pattern, substitute));
        if (globMatches(glob, text, spend)) return this.runList(shell, list, io);
      }
    }
  }

  async #runSimple(shell: Shell, command: Simple, io: Io): Promise<void> {
    const { assignments, redirects } = command;
    let substituted: number | undefined;
    const plain = this.#substitute(shell, io);
    const substitute: Substitute = async (list) => {
      const text = await plain(list);
      substituted = shell.exitCode;
      return text;
    };
    const words = literal(command.words[0] ?? []) === "[[" ? await this.#compared(shell, command.words, io) : undefined;
    const expanded = words ?? (await expandWords(shell, aliased(shell, command.words), substitute));
    const values: Value[] = [];
    for (const one of assignments) values.push(...(await valuesOf(shell, one, substitute)));
    const { io: own, finish } = await redirect(shell, redirects, io, substitute);
    const [name, ...args] = expanded;
    if (name === undefined) {
      assign(shell, values);
      shell.exitCode = substituted ?? 0;
      return finish();
    }
    if (shell.settings.xtrace) io.err.write(`+ ${expanded.join(" ")}\n`);
    try {
      await this.#withVariables(shell, values, () => this.#runWords(shell, name, args, own));
    } finally {
      finish();
    }
  }

  /** `name=value command`: the command alone knows of it. */
  async #withVariables(shell: Shell, values: readonly Value[], run: () => Promise<number>): Promise<void> {
    const before = values.map(([name]) => [name, shell.variables.get(name), shell.exported.has(name)] as const);
    assign(shell, values);
    for (const [name] of values) shell.exported.add(name);
    try {
      shell.exitCode = await run();
    } finally {
      for (const [name, value, wasExported] of before) {
        if (value === undefined) shell.variables.delete(name);
        else shell.variables.set(name, value);
        if (!wasExported) shell.exported.delete(name);
      }
    }
  }

  async #runWords(shell: Shell, name: string, args: readonly string[], io: Io): Promise<number> {
    // What is left of an alias that is more than a simple command.
    const alias = shell.aliases.get(name);
    if (alias !== undefined && !wordsOfAlias(alias)) {
      const line = [alias, ...args.map(shellQuoted)].join(" ");
      return this.calling(shell, shell.parameters, async () => void (await this.runText(shell, line, io)));
    }
    const body = shell.functions.get(name);
    if (!body) return this.#start(name, args, shell, io);
    return this.calling(shell, [shell.parameters[0] ?? "bash", ...args], async () => {
      await this.#runCommand(shell, body, io);
    });
  }

  /** A function's or a script's body with parameters of its own; `return` ends it. */
  async calling(shell: Shell, parameters: readonly string[], run: () => Promise<void>): Promise<number> {
    const before = shell.parameters;
    if (++shell.depth > maxCalls) {
      shell.depth = 0;
      throw new Failure(`${parameters[0] ?? "bash"}: maximum function nesting level exceeded (${maxCalls})`);
    }
    shell.parameters = parameters;
    try {
      await run();
      return shell.exitCode;
    } catch (error) {
      if (error instanceof Leave && error.kind === "return") return error.value;
      throw error;
    } finally {
      shell.depth = Math.max(shell.depth - 1, 0);
      shell.parameters = before;
    }
  }

  #substitute(shell: Shell, io: Io): Substitute {
    return async (list) => {
      const out = new Collected();
      const inner = subshell(shell);
      const { files } = shell.machine.kubectl.around;
      const { folder } = files;
      shell.exitCode = await this.#ended(inner, { ...io, out }, (own) => this.runList(inner, list, own));
      files.folder = folder;
      if (io.signal.aborted) throw new Interrupted();
      return out.take();
    };
  }

  /** The words of `[[ ]]`, neither split nor looked up as files; what stands behind some operators is a pattern. */
  async #compared(shell: Shell, words: readonly Word[], io: Io): Promise<string[]> {
    const substitute = this.#substitute(shell, io);
    const found: string[] = [];
    for (const [at, word] of words.entries()) {
      const operator = literal(words[at - 1] ?? []);
      if (operator === "=~") found.push(await expandPattern(shell, word, substitute, quotedExpression));
      else if (operator === "=" || operator === "==" || operator === "!=")
        found.push(await expandPattern(shell, word, substitute));
      else found.push(await expandText(shell, word, substitute));
    }
    return found;
  }
}

/** Tells an error that is known; gives the exit code. Others are thrown on. */
function told(error: unknown, { err }: Io): number {
  const failure = failureOf(error);
  if (!failure) throw error;
  err.write(`bash: ${failure.message}\n`);
  return failure.code;
}

/** Throws a `Failure` for what nests too deeply. */
export function parsed(text: string): Script {
  try {
    return parseScript(text, newBudget(), { dialect: "bash", isStrict: true });
  } catch (error) {
    throw failureOf(error) ?? error;
  }
}

/** As one word of a line. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The words with an alias in the first one's place; what is no simple command is left as it is. */
function aliased(shell: Shell, words: readonly Word[]): readonly Word[] {
  const seen = new Set<string>();
  let found = words;
  for (;;) {
    const [first] = found;
    const [only] = first ?? [];
    if (first?.length !== 1 || only?.type !== "text" || only.quoted || seen.has(only.text)) return found;
    const text = shell.aliases.get(only.text);
    if (text === undefined) return found;
    seen.add(only.text);
    const replaced = wordsOfAlias(text);
    if (!replaced) return found;
    found = [...replaced, ...found.slice(1)];
  }
}

function wordsOfAlias(text: string): readonly Word[] | undefined {
  const { list, error } = parsed(text);
  const [item, ...others] = list;
  const [command, ...stages] = item?.pipeline.commands ?? [];
  const isSimple = !error && others.length === 0 && stages.length === 0 && command?.type === "simple";
  return isSimple && command.assignments.length + command.redirects.length === 0 ? command.words : undefined;
}
