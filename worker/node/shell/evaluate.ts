// Runs what was read: lists, pipelines, conditions and functions, on the process's own time.
import { limits } from "../../../shared/base/limits.ts";
import { aliased, assign, traceLines, type Value, valuesOf } from "./expansion/assignments.ts";
import { isBuiltin } from "./builtins/names.ts";
import { complainOf, fatal } from "./dialects/complaints.ts";
import { arithmeticValue, expandPattern, expandText, expandWords } from "./expansion/expand.ts";
import { inBackground } from "./fork.ts";
import { globMatches, globOf } from "../../../shared/shell/patterns/glob.ts";
import { looped, runCounted, runFor, runWhile } from "./loops.ts";
import { charge, comeBack, enter, heapBytes, hold, Stopped } from "../../../shared/shell/meter.ts";
import { parseScript } from "../../../shared/shell/language/parse.ts";
import { type OpenPipe, step } from "./process.ts";
import { runProgram } from "./programs.ts";
import { quotedExpression } from "../../../shared/shell/patterns/regular.ts";
import { redirect, type Streams } from "./redirect.ts";
import { halted, isDash, leave, redirected, scoped, setVariable, type Input, type Shell, subshell } from "./shell.ts";
import { after, type Deferred, finished, inTurn, type Task } from "../../../shared/shell/task.ts";
import type {
  Assignment,
  Body,
  Command,
  Compound,
  List,
  Pipeline,
  Simple,
  Word,
} from "../../../shared/shell/language/syntax.ts";

/** A script, in the shell that is given. What cannot be read is a failure, as a shell says it; the lines before are run. */
export function* runText(shell: Shell, text: string): Task<void> {
  const { process, functions, dialect } = shell;
  // Busybox counts the lines of a text after `-c` from 0.
  const isCounted = dialect === "ash" && (shell.source === "command" || shell.source === "named");
  const script = parseScript(text, process, shell, isCounted ? 0 : 1);
  const before = functions.changes;
  enter(process);
  yield* runList(shell, script.list);
  comeBack(process);
  // What was read stays as long as a function of it does.
  if (functions.changes === before) hold(process, -script.bytes);
  if (!script.error || halted(shell)) return;
  complainOf(shell, script.error);
  shell.exitCode = 2;
  const isAbandoned = shell.source === "typed" || (dialect === "bash" && shell.speaker !== undefined);
  shell.flow = { kind: isAbandoned ? "abandon" : "exit" };
}

/** Words as a command. */
export function* runWords(shell: Shell, words: readonly string[]): Task<void> {
  yield* finished(startWords(shell, words));
}

function startWords(shell: Shell, words: readonly string[]): Deferred<void> {
  const [name = "", ...args] = words;
  const body = shell.functions.get(name);
  return body ? runFunction(shell, body, args) : runProgram(shell, name, args);
}

function* runFunction(shell: Shell, body: Command, args: readonly string[]): Task<void> {
  const { parameters, locals } = shell;
  shell.parameters = [parameters[0] ?? "sh", ...args];
  shell.locals = new Map();
  yield* callFunction(shell, body);
  for (const [variable, value] of shell.locals) {
    if (value !== undefined) setVariable(shell, variable, value);
    else if (shell.variables.delete(variable)) shell.process.version++;
  }
  shell.locals = locals;
  shell.parameters = parameters;
  if (shell.flow?.kind === "return") shell.flow = undefined;
}

/** Before the stack is used up, a shell that counts sees it. */
const callShare = 0.75;

function* callFunction(shell: Shell, body: Command): Task<void> {
  const { process } = shell;
  // A shell that counts its calls says that there are too many; others run out of their stack.
  if (isDash(shell) && process.meter.depth >= limits.shellDepth * callShare) {
    fatal(shell, "Maximum function recursion depth (1000) reached");
    return;
  }
  enter(process);
  yield* finished(runCommand(shell, body));
  comeBack(process);
}

export function* runList(shell: Shell, list: List): Task<void> {
  const { last, own } = shell;
  for (const [at, item] of list.entries()) {
    if (isTermDue(shell)) yield* heedTerm(shell);
    if (halted(shell)) break;
    if (item.before === "&&" && shell.exitCode !== 0) continue;
    if (item.before === "||" && shell.exitCode === 0) continue;
    shell.last = last && at === list.length - 1;
    shell.own = own && list.length === 1;
    const decides = (list[at + 1]?.before ?? ";") === ";" && !item.pipeline.negated;
    if (item.background !== undefined) yield* inBackground(shell, (inner) => runJob(inner, item.pipeline));
    else if (decides) {
      const task = runPipeline(shell, item.pipeline);
      if (task) yield* task;
    } else yield* excused(shell, item.pipeline);
    if (decides && shell.exitCode !== 0 && !halted(shell)) yield* failed(shell);
  }
  shell.last = last;
  shell.own = own;
  if (isTermDue(shell)) yield* heedTerm(shell);
}

/** What fails in it is somebody's question, and no reason to stop. */
function* excused(shell: Shell, pipeline: Pipeline): Task<void> {
  const { stopsOnFailure, isCondition } = shell;
  shell.stopsOnFailure = false;
  shell.isCondition = true;
  yield* finished(runPipeline(shell, pipeline));
  // It may have changed that itself.
  shell.stopsOnFailure ||= stopsOnFailure;
  shell.isCondition = isCondition;
}

/** What `trap ... ERR` and `set -e` make of a failure that decides. */
function* failed(shell: Shell): Task<void> {
  const text = shell.isCondition ? undefined : shell.traps.get("ERR");
  if (text !== undefined && text !== "") {
    const { exitCode } = shell;
    shell.traps.delete("ERR");
    yield* runText(shell, text);
    if (!halted(shell)) shell.exitCode = exitCode;
    shell.traps.set("ERR", text);
  }
  if (shell.stopsOnFailure && !halted(shell)) shell.flow = { kind: "exit" };
}

/** A trapped signal is seen between two commands. */
function isTermDue(shell: Shell): boolean {
  const { process, traps } = shell;
  return traps.has("TERM") && !process.termSeen && process.clockMs >= process.termMs && !halted(shell);
}

function heedTerm(shell: Shell): Task<void> {
  shell.process.termSeen = true;
  return runText(shell, shell.traps.get("TERM") ?? "");
}

function* runJob(shell: Shell, pipeline: Pipeline): Task<void> {
  yield* finished(runPipeline(shell, pipeline));
}

function runPipeline(shell: Shell, { commands, negated }: Pipeline): Deferred<void> {
  const [only] = commands;
  const task = commands.length === 1 && only ? runCommand(shell, only) : runStages(shell, commands);
  if (!negated) return task;
  return after(task, () => {
    shell.exitCode = shell.exitCode === 0 ? 1 : 0;
  });
}

/** Each is a shell of its own, and runs when the one before it has ended. */
function* runStages(shell: Shell, commands: readonly Command[]): Task<void> {
  let text: string | undefined;
  const codes: number[] = [];
  for (const [at, command] of commands.entries()) {
    const final = at === commands.length - 1;
    const input = text === undefined ? shell.input : { rest: text };
    const pipe = final ? undefined : newPipe(shell);
    if (pipe) shell.process.horizon.pipes.add(pipe);
    codes.push(yield* finished(scoped(shell, () => runStage(shell, command, input, pipe))));
    if (pipe) shell.process.horizon.pipes.delete(pipe);
    hold(shell.process, heapBytes(pipe?.text ?? "") - heapBytes(text ?? ""));
    // One that never ends has nothing that comes after it.
    if (shell.process.paused && pipe) shell.out(pipe.text);
    text = pipe?.text;
  }
  if (shell.options.pipefail) shell.exitCode = codes.findLast((code) => code !== 0) ?? 0;
  if (shell.dialect === "bash") {
    for (const [at, code] of codes.entries()) setVariable(shell, `PIPESTATUS[${at}]`, String(code));
  }
}

function runStage(outer: Shell, command: Command, input: Input | undefined, pipe: Pipe | undefined): Deferred<number> {
  const inner = subshell(outer);
  inner.input = input;
  if (pipe) Object.assign(inner, { captured: true, own: false, out: pipe.out });
  const task = pipe ? orTold(outer, pipe, () => runCommand(inner, command)) : runCommand(inner, command);
  return after(task, () => {
    outer.exitCode = inner.exitCode;
    return inner.exitCode;
  });
}

interface Pipe extends OpenPipe {
  text: string;
}

/** What is printed into it is held as long as the shell inside is there. */
function newPipe({ process, out: target }: Shell): Pipe {
  const pipe: Pipe = {
    text: "",
    target,
    out: (text) => {
      const bytes = heapBytes(text);
      charge(process, 0.5 + bytes / 1024);
      hold(process, bytes);
      pipe.text += text;
    },
  };
  return pipe;
}

/** A script that runs away has printed what it printed. */
function* orTold(shell: Shell, pipe: Pipe, run: () => Deferred<void>): Task<void> {
  try {
    yield* finished(run());
  } catch (error) {
    if (error instanceof Stopped && error.how === "spent") {
      const { meter } = shell.process;
      const left = meter.work;
      meter.work = Number.POSITIVE_INFINITY;
      shell.out(pipe.text);
      meter.work = left;
    }
    throw error;
  }
}

function runCommand(shell: Shell, command: Command): Deferred<void> {
  return command.type === "simple" ? runSimple(shell, command) : runCompound(shell, command);
}

function* runCompound(shell: Shell, command: Compound): Task<void> {
  if (!step(shell.process)) return;
  shell.line = command.line;
  const streams = yield* finished(redirect(shell, command.redirects, expandTarget));
  if (!streams) return;
  const inner = redirected(shell, streams);
  inner.own = false;
  enter(shell.process);
  yield* runBody(inner, command.body);
  comeBack(shell.process);
  leave(inner, shell);
}

function* runBody(shell: Shell, body: Body): Task<void> {
  switch (body.kind) {
    case "group":
      return yield* runList(shell, body.list);
    case "subshell":
      return yield* finished(scoped(shell, () => runSubshell(shell, body.list)));
    case "while":
      return yield* looped(shell, runWhile(shell, body, { runList, runCondition }));
    case "counted":
      return yield* looped(shell, runCounted(shell, body, { runList, runCondition, value }));
    case "for": {
      const words = body.words
        ? yield* finished(expandWords(shell, body.words, substitute))
        : shell.parameters.slice(1);
      const bytes = held(shell, words);
      yield* looped(shell, runFor(shell, body, words, { runList, runCondition }));
      hold(shell.process, -bytes);
      return;
    }
    case "if":
      return yield* runIf(shell, body);
    case "case":
      return yield* runCase(shell, body);
    case "function":
      shell.functions.set(body.name, body.body);
      shell.exitCode = 0;
      return;
    case "arithmetic":
      shell.exitCode = (yield* finished(value(shell, body.expression))) === 0n ? 1 : 0;
  }
}

function* runSubshell(shell: Shell, list: List): Task<void> {
  const inner = subshell(shell);
  yield* runList(inner, list);
  shell.exitCode = inner.exitCode;
}

function value(shell: Shell, expression: Word): Deferred<bigint> {
  return arithmeticValue(shell, expression, substitute);
}

/** Whether a condition holds. Its failure is no reason to stop. */
function* runCondition(shell: Shell, list: List): Task<boolean> {
  const { stopsOnFailure, last, own, isCondition } = shell;
  shell.stopsOnFailure = false;
  shell.isCondition = true;
  shell.last = false;
  shell.own = false;
  yield* runList(shell, list);
  shell.stopsOnFailure = stopsOnFailure;
  shell.isCondition = isCondition;
  shell.last = last;
  shell.own = own;
  return shell.exitCode === 0;
}

function* runIf(shell: Shell, { arms, otherwise }: Body & { kind: "if" }): Task<void> {
  for (const { condition, list } of arms) {
    const holds = yield* runCondition(shell, condition);
    if (halted(shell)) return;
    if (holds) return yield* runList(shell, list);
  }
  shell.exitCode = 0;
  if (otherwise) yield* runList(shell, otherwise);
}

function* runCase(shell: Shell, { word, arms }: Body & { kind: "case" }): Task<void> {
  const text = yield* finished(expandText(shell, word, substitute));
  shell.exitCode = 0;
  const spend = (units: number) => charge(shell.process, units);
  for (const { patterns, list } of arms) {
    for (const one of patterns) {
      const glob = globOf(yield* finished(expandPattern(shell, one, substitute)));
      if (globMatches(glob, text, spend)) return yield* runList(shell, list);
    }
  }
}

function runSimple(shell: Shell, command: Simple): Deferred<void> {
  const { assignments, words, line } = command;
  if (!step(shell.process)) return;
  shell.line = line;
  // `[[ a =~ b ]]` and what is compared in it is neither split nor looked up as files.
  const isComparison = textOf(words[0]) === "[[" && (!shell.isStrict || shell.dialect !== "dash");
  const expanded = isComparison ? comparedWords(shell, words) : expandWords(shell, words, substitute);
  if (assignments.length === 0) return after(expanded, (texts) => runExpanded(shell, command, texts, []));
  return after(expanded, (texts) => runAssigned(shell, command, texts));
}

function runAssigned(shell: Shell, command: Simple, texts: readonly string[]): Deferred<void> {
  const values: Value[] = [];
  const add = (assignment: Assignment) =>
    after(valuesOf(shell, assignment, substitute), (more) => void values.push(...more));
  return after(inTurn(command.assignments, add), () => runExpanded(shell, command, texts, values));
}

function runExpanded(
  shell: Shell,
  command: Simple,
  texts: readonly string[],
  values: readonly Value[],
): Deferred<void> {
  if (halted(shell)) return;
  const words = textOf(command.words[0]) === "[[" ? texts : aliased(shell, command.words[0], texts);
  if (command.redirects.length === 0 && !shell.options.noexec)
    return runRedirected(shell, command, words, values, shell);
  return after(redirect(shell, command.redirects, expandTarget), (streams) =>
    streams && !shell.options.noexec ? runRedirected(shell, command, words, values, streams) : undefined,
  );
}

function expandTarget(shell: Shell, word: Word): Deferred<string> {
  return expandText(shell, word, substitute);
}

function runRedirected(
  shell: Shell,
  { assignments }: Simple,
  expanded: readonly string[],
  values: readonly Value[],
  streams: Streams,
): Deferred<void> {
  if (shell.traces) traceLines(shell, values, expanded);
  if (expanded.length === 0) {
    if (!substitutes(assignments)) shell.exitCode = 0;
    assign(shell, values);
    return;
  }
  if (expanded[0] === "exec" && expanded.length === 1) Object.assign(shell, streams);
  const bytes = held(shell, expanded);
  const inner = streams === shell ? { ...shell } : redirected(shell, streams);
  const task =
    values.length > 0 ? scoped(shell, () => runWith(inner, values, expanded, shell)) : startWords(inner, expanded);
  return after(task, () => {
    if (values.length === 0) leave(inner, shell);
    hold(shell.process, -bytes);
  });
}

/** `name=value command`: the command alone knows of it. */
function* runWith(shell: Shell, values: readonly Value[], words: readonly string[], outer: Shell): Task<void> {
  // What the shell does itself may set others that stay.
  if (isBuiltin(shell, words[0] ?? "") || shell.functions.has(words[0] ?? ""))
    return yield* runAmong(shell, values, words, outer);
  const variables = shell.variables.inside();
  const attributes = shell.attributes.inside();
  for (const { name, text } of values) {
    variables.set(name, text);
    attributes.delete(name);
  }
  const inner = { ...shell, variables, attributes };
  yield* runWords(inner, words);
  leave(inner, outer);
}

/** The same for a command of the shell's own: what was is put back. */
function* runAmong(shell: Shell, values: readonly Value[], words: readonly string[], outer: Shell): Task<void> {
  const before = values.map(({ name }) => [name, shell.variables.get(name)] as const);
  for (const { name, text } of values) shell.variables.set(name, text);
  const inner = { ...shell };
  yield* runWords(inner, words);
  for (const [name, text] of before.reverse()) {
    if (text === undefined) shell.variables.delete(name);
    else shell.variables.set(name, text);
  }
  leave(inner, outer);
}

/** What a word takes beside its text. */
const wordBytes = 32;

/** Words that stay while a command runs. */
function held({ process }: Shell, words: readonly string[]): number {
  let bytes = 0;
  for (const word of words) bytes += heapBytes(word) + wordBytes;
  // Whatever runs with them reads them.
  charge(process, bytes / 512);
  hold(process, bytes);
  return bytes;
}

function comparedWords(shell: Shell, words: readonly Word[]): Deferred<string[]> {
  const texts: string[] = [];
  const add = (word: Word, at: number) =>
    after(compared(shell, word, textOf(words[at - 1])), (text) => void texts.push(text));
  return after(inTurn(words, add), () => texts);
}

/** A word inside `[[ ]]`: what stands behind some operators is a pattern. */
function compared(shell: Shell, word: Word, operator: string): Deferred<string> {
  if (operator === "=~") return expandPattern(shell, word, substitute, quotedExpression);
  const isPattern = operator === "=" || operator === "==" || operator === "!=";
  return isPattern ? expandPattern(shell, word, substitute) : expandText(shell, word, substitute);
}

function textOf(word: Word | undefined): string {
  const [only] = word ?? [];
  return word?.length === 1 && only?.type === "text" && !only.quoted ? only.text : "";
}

/** The exit code of `a=$(false)` is that of what was substituted. */
function substitutes(assignments: Simple["assignments"]): boolean {
  return assignments.some(({ value }) => value.some((part) => part.type === "command"));
}

/** What commands print. */
function* substitute(shell: Shell, list: List): Task<string> {
  const { process } = shell;
  const pipe = newPipe(shell);
  charge(process, 1.5);
  enter(process);
  yield* finished(scoped(shell, () => runSubstitute(shell, list, pipe)));
  comeBack(process);
  return pipe.text;
}

function* runSubstitute(shell: Shell, list: List, pipe: Pipe): Task<void> {
  const inner: Shell = { ...subshell(shell), captured: true, last: false, own: false, out: pipe.out };
  yield* runList(inner, list);
  shell.exitCode = inner.exitCode;
}
