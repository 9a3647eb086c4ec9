// The evaluator of scripts: lists, pipelines, conditions and functions. A container drives it synchronously, the console's page
// asynchronously.
import { limits } from "../../base/limits.ts";
import { aliased, aliasedLine } from "../expansion/aliases.ts";
import { assign, traceLines, type Value, valuesOf } from "../expansion/assignments.ts";
import { arithmeticValue, expandPattern, expandText, expandWords } from "../expansion/expand.ts";
import { isBuiltin } from "../builtins/names.ts";
import { parseScript } from "../language/parse.ts";
import {
  type Assignment,
  type Body,
  type Command,
  type Compound,
  type List,
  type Pipeline,
  type Simple,
  type Word,
} from "../language/syntax.ts";
import { charge, leaveLevel, enterLevel, heapBytes, hold } from "../meter.ts";
import { globMatches, globOf } from "../patterns/glob.ts";
import { quotedExpression } from "../patterns/regular.ts";
import { after, type Deferred, finished, inTurn, type Task } from "../task.ts";
import { complainOf, fatal } from "./complaints.ts";
import { looped, runCounted, runFor, runWhile } from "./loops.ts";
import { redirect } from "./redirect.ts";
import { halted, isDash, leave, redirected, setVariable, type Shell, type Streams, subshell } from "./shell.ts";

/** Runs a script. A syntax error fails with the shell's message, after the lines before it have run. */
export function* runText(shell: Shell, text: string): Task<void> {
  const { process, functions, dialect } = shell;
  // Busybox counts the lines of a text after `-c` from 0.
  const isCounted = dialect === "ash" && (shell.source === "command" || shell.source === "named");
  const script = parseScript(text, process, shell, isCounted ? 0 : 1);
  const before = functions.changes;
  enterLevel(process);
  yield* runList(shell, script.list);
  leaveLevel(process);
  // The syntax tree stays in memory as long as one of its functions.
  if (functions.changes === before) hold(process, -script.bytes);
  if (!script.error || halted(shell)) return;
  complainOf(shell, script.error);
  shell.exitCode = 2;
  const isAbandoned = shell.source === "typed" || (dialect === "bash" && shell.speaker !== undefined);
  shell.flow = { kind: isAbandoned ? "abandon" : "exit" };
}

/** Runs words as a command. */
export function* runWords(shell: Shell, words: readonly string[]): Task<void> {
  yield* finished(startWords(shell, words));
}

function startWords(shell: Shell, words: readonly string[]): Deferred<void> {
  const [name = "", ...args] = words;
  const body = shell.functions.get(name);
  return body ? runFunction(shell, body, args) : shell.host.start(shell, name, args);
}

function* runFunction(shell: Shell, body: Command, args: readonly string[]): Task<void> {
  const { parameters, locals } = shell;
  shell.parameters = [parameters[0] ?? "sh", ...args];
  shell.locals = new Map();
  shell.calls++;
  yield* callFunction(shell, body);
  shell.calls--;
  for (const [variable, value] of shell.locals) {
    if (value !== undefined) setVariable(shell, variable, value);
    else if (shell.variables.delete(variable)) shell.process.version++;
  }
  shell.locals = locals;
  shell.parameters = parameters;
  if (shell.flow?.kind === "return") shell.flow = undefined;
}

/** The share of the depth at which a shell that counts its calls reports too many. */
const callShare = 0.75;

function* callFunction(shell: Shell, body: Command): Task<void> {
  const { process } = shell;
  // Dash counts its calls and reports that there are too many. Other shells exhaust their stack.
  if (isDash(shell) && process.meter.depth >= limits.shellDepth * callShare) {
    fatal(shell, "Maximum function recursion depth (1000) reached");
    return;
  }
  const most = shell.dialect === "bash" ? shell.variables.get("FUNCNEST") : undefined;
  if (most !== undefined && shell.calls > Number(most)) {
    fatal(shell, `maximum function nesting level exceeded (${most})`, shell.parameters[0]);
    return;
  }
  enterLevel(process);
  yield* finished(runCommand(shell, body));
  leaveLevel(process);
}

function* runList(shell: Shell, list: List): Task<void> {
  const { last, takesProcess, host } = shell;
  for (const [at, item] of list.entries()) {
    const signal = host.takeSignal(shell);
    if (signal !== undefined) yield* runTrap(shell, signal);
    if (halted(shell)) break;
    if (item.before === "&&" && shell.exitCode !== 0) continue;
    if (item.before === "||" && shell.exitCode === 0) continue;
    shell.last = last && at === list.length - 1;
    shell.takesProcess = takesProcess && list.length === 1;
    const decides = (list[at + 1]?.before ?? ";") === ";" && !item.pipeline.negated;
    if (item.background !== undefined)
      yield* host.background(shell, item.background, (inner) => runJob(inner, item.pipeline));
    else if (decides) {
      const task = runPipeline(shell, item.pipeline);
      if (task) yield* task;
    } else yield* excused(shell, item.pipeline);
    if (decides && shell.exitCode !== 0 && !halted(shell)) yield* failed(shell);
  }
  shell.last = last;
  shell.takesProcess = takesProcess;
  const signal = host.takeSignal(shell);
  if (signal !== undefined) yield* runTrap(shell, signal);
}

/** Runs a pipeline whose failure is tested, so that it does not stop the script. */
function* excused(shell: Shell, pipeline: Pipeline): Task<void> {
  const { stopsOnFailure, isCondition } = shell;
  shell.stopsOnFailure = false;
  shell.isCondition = true;
  yield* finished(runPipeline(shell, pipeline));
  // The pipeline may have changed the option itself.
  shell.stopsOnFailure ||= stopsOnFailure;
  shell.isCondition = isCondition;
}

/** Runs the trap of `ERR`, and exits under `set -e`, after a failure that is not tested. */
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

/** Runs the trap of a signal, which arrives between two commands. */
function runTrap(shell: Shell, signal: string): Task<void> {
  return runText(shell, shell.traps.get(signal) ?? "");
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

function* runStages(shell: Shell, commands: readonly Command[]): Task<void> {
  const codes = yield* shell.host.pipe(shell, commands, runCommand);
  shell.exitCode = codes.at(-1) ?? 0;
  if (shell.options.pipefail) shell.exitCode = codes.findLast((code) => code !== 0) ?? 0;
  if (shell.dialect === "bash") {
    for (const [at, code] of codes.entries()) setVariable(shell, `PIPESTATUS[${at}]`, String(code));
  }
}

function runCommand(shell: Shell, command: Command): Deferred<void> {
  return command.type === "simple" ? runSimple(shell, command) : runCompound(shell, command);
}

function* runCompound(shell: Shell, command: Compound): Task<void> {
  const { host, process } = shell;
  const isReady = host.step(shell);
  if (isReady !== true && !(yield* finished(isReady))) return;
  shell.line = command.line;
  const streams = yield* finished(redirect(shell, command.redirects, expandTarget));
  if (!streams) return;
  const inner = redirected(shell, streams);
  inner.takesProcess = false;
  enterLevel(process);
  yield* runBody(inner, command.body);
  leaveLevel(process);
  if (command.redirects.length > 0) host.close(streams);
  leave(inner, shell);
}

function* runBody(shell: Shell, body: Body): Task<void> {
  switch (body.kind) {
    case "group":
      return yield* runList(shell, body.list);
    case "subshell":
      return yield* finished(shell.host.scoped(shell, () => runSubshell(shell, body.list)));
    case "while":
      return yield* looped(shell, runWhile(shell, body, { runList, runCondition }));
    case "counted":
      return yield* looped(shell, runCounted(shell, body, { runList, runCondition, value }));
    case "for": {
      const words = body.words
        ? yield* finished(expandWords(shell, body.words, substitute))
        : shell.parameters.slice(1);
      const bytes = holdWords(shell, words);
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

/** Runs a condition. Its failure does not stop the script. */
function* runCondition(shell: Shell, list: List): Task<boolean> {
  const { stopsOnFailure, last, takesProcess, isCondition } = shell;
  shell.stopsOnFailure = false;
  shell.isCondition = true;
  shell.last = false;
  shell.takesProcess = false;
  yield* runList(shell, list);
  shell.stopsOnFailure = stopsOnFailure;
  shell.isCondition = isCondition;
  shell.last = last;
  shell.takesProcess = takesProcess;
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
    for (const pattern of patterns) {
      const glob = globOf(yield* finished(expandPattern(shell, pattern, substitute)));
      if (globMatches(glob, text, spend)) return yield* runList(shell, list);
    }
  }
}

function runSimple(shell: Shell, command: Simple): Deferred<void> {
  const isReady = shell.host.step(shell);
  if (isReady === true) return runReady(shell, command);
  return after(isReady, (goesOn) => (goesOn ? runReady(shell, command) : undefined));
}

function runReady(shell: Shell, command: Simple): Deferred<void> {
  const { assignments, line } = command;
  const words = aliased(shell, command.words);
  shell.line = line;
  // Words inside `[[ ]]` are neither split nor expanded to file names.
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
  if (command.redirects.length === 0 && !shell.options.noexec)
    return runRedirected(shell, command, texts, values, shell);
  return after(redirect(shell, command.redirects, expandTarget), (streams) =>
    streams && !shell.options.noexec ? runClosing(shell, command, texts, values, streams) : undefined,
  );
}

function runClosing(
  shell: Shell,
  command: Simple,
  words: readonly string[],
  values: readonly Value[],
  streams: Streams,
): Deferred<void> {
  return after(runRedirected(shell, command, words, values, streams), () => shell.host.close(streams));
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
  const bytes = holdWords(shell, expanded);
  const inner = streams === shell ? { ...shell } : redirected(shell, streams);
  const line = shell.aliases.changes === 0 ? undefined : aliasedLine(shell, expanded);
  const task =
    line !== undefined
      ? runText(inner, line)
      : values.length > 0
        ? shell.host.scoped(shell, () => runWith(inner, values, expanded, shell))
        : startWords(inner, expanded);
  return after(task, () => {
    if (values.length === 0) leave(inner, shell);
    hold(shell.process, -bytes);
  });
}

/** Runs `name=value command`: only the command sees the variable. */
function* runWith(shell: Shell, values: readonly Value[], words: readonly string[], outer: Shell): Task<void> {
  // Built-in commands and functions may set other variables, which stay.
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

/** Runs a built-in command or function with variables, and restores them afterwards. */
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

/** Bytes of a word beside its text. */
const wordBytes = 32;

/** Holds the memory of words while a command runs. */
function holdWords({ process }: Shell, words: readonly string[]): number {
  let bytes = 0;
  for (const word of words) bytes += heapBytes(word) + wordBytes;
  // The command reads its words.
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

/** Expands a word inside `[[ ]]`, which is a pattern after some operators. */
function compared(shell: Shell, word: Word, operator: string): Deferred<string> {
  if (operator === "=~") return expandPattern(shell, word, substitute, quotedExpression);
  const isPattern = operator === "=" || operator === "==" || operator === "!=";
  return isPattern ? expandPattern(shell, word, substitute) : expandText(shell, word, substitute);
}

function textOf(word: Word | undefined): string {
  const [only] = word ?? [];
  return word?.length === 1 && only?.type === "text" && !only.quoted ? only.text : "";
}

/** Reports whether assignments contain a substituted command, whose exit code is that of `a=$(false)`. */
function substitutes(assignments: Simple["assignments"]): boolean {
  return assignments.some(({ value }) => value.some((piece) => piece.type === "command"));
}

/** Runs commands and returns their output. */
function* substitute(shell: Shell, list: List): Task<string> {
  const { process, host } = shell;
  const collector = host.collect(shell);
  charge(process, 1.5);
  enterLevel(process);
  yield* finished(host.scoped(shell, () => runSubstitute(shell, list, collector.out)));
  leaveLevel(process);
  return collector.text;
}

function* runSubstitute(shell: Shell, list: List, out: Shell["out"]): Task<void> {
  const inner: Shell = { ...subshell(shell), captured: true, last: false, takesProcess: false, out };
  yield* runList(inner, list);
  shell.exitCode = inner.exitCode;
}
