// Runs what was read: lists, pipelines, conditions and functions, on the process's own time.
import { arithmeticValue, expandPattern, expandText, expandWord } from "./expand.ts";
import { fork, join } from "./fork.ts";
import { globMatches, globOf } from "./glob.ts";
import { runFor, runWhile } from "./loops.ts";
import { parseScript } from "./parse.ts";
import { charge, step } from "./process.ts";
import { runProgram } from "./programs.ts";
import { quotedExpression } from "./regular.ts";
import { redirect } from "./redirect.ts";
import { halted, leave, redirected, setVariable, type Shell, subshell } from "./shell.ts";
import type { Assignment, Body, Command, Item, List, Pipeline, Simple, Word } from "./syntax.ts";

/** A script, in the shell that is given. What cannot be read is a failure, as a shell says it. */
export function runText(shell: Shell, text: string): void {
  const script = parseScript(text);
  if ("error" in script) {
    shell.err(`sh: ${script.error}\n`);
    shell.exitCode = 2;
    shell.flow = { kind: "exit" };
    return;
  }
  runList(shell, script.list);
}

/** Words as a command. */
export function runWords(shell: Shell, words: readonly string[]): void {
  const [name = "", ...args] = words;
  const found = shell.functions.get(name);
  if (!found) return runProgram(shell, name, args);
  const { parameters } = shell;
  shell.parameters = [name, ...args];
  runCommand(shell, found);
  shell.parameters = parameters;
  if (shell.flow?.kind === "return") shell.flow = undefined;
}

export function runList(shell: Shell, list: List): void {
  const { last, own } = shell;
  list.forEach((item, at) => {
    heedTerm(shell);
    if (halted(shell)) return;
    if (item.before === "&&" && shell.exitCode !== 0) return;
    if (item.before === "||" && shell.exitCode === 0) return;
    shell.last = last && at === list.length - 1;
    shell.own = own && list.length === 1;
    runItem(shell, item);
    const decides = (list[at + 1]?.before ?? ";") === ";" && !item.pipeline.negated;
    if (decides && shell.stopsOnFailure && shell.exitCode !== 0 && !halted(shell)) shell.flow = { kind: "exit" };
  });
  shell.last = last;
  shell.own = own;
  heedTerm(shell);
}

/** A trapped signal is seen between two commands. */
function heedTerm(shell: Shell): void {
  const { process, traps } = shell;
  const text = traps.get("TERM");
  if (text === undefined || process.termSeen || process.clockMs < process.termMs || halted(shell)) return;
  process.termSeen = true;
  runText(shell, text);
}

function runItem(shell: Shell, item: Item): void {
  if (!item.background) return runPipeline(shell, item.pipeline);
  const inner = fork(shell);
  runPipeline(inner, item.pipeline);
  join(inner, shell);
}

function runPipeline(shell: Shell, { commands, negated }: Pipeline): void {
  let text: string | undefined;
  for (const [at, command] of commands.entries()) {
    const final = at === commands.length - 1;
    const input = text === undefined ? shell.input : { rest: text };
    let printed = "";
    const stage = {
      ...(commands.length > 1 ? subshell(shell) : shell),
      input,
      ...(final ? {} : { captured: true, own: false, out: (more: string) => void (printed += more) }),
    };
    runCommand(stage, command);
    if (commands.length === 1) leave(stage, shell);
    else shell.exitCode = stage.exitCode;
    // One that never ends has nothing that comes after it.
    if (shell.process.paused && !final) shell.out(printed);
    text = printed;
  }
  if (negated) shell.exitCode = shell.exitCode === 0 ? 1 : 0;
}

export function runCommand(shell: Shell, command: Command): void {
  if (!step(shell.process)) return;
  if (command.type === "simple") return runSimple(shell, command);
  const streams = redirect(shell, command.redirects, (word) => expandText(shell, word, substitute));
  if (!streams) return;
  const inner = redirected(shell, streams);
  inner.own = false;
  runBody(inner, command.body);
  leave(inner, shell);
}

function runBody(shell: Shell, body: Body): void {
  switch (body.kind) {
    case "group":
      return runList(shell, body.list);
    case "subshell": {
      const inner = subshell(shell);
      runList(inner, body.list);
      shell.exitCode = inner.exitCode;
      return;
    }
    case "while":
      return runWhile(shell, body, { runList, runCondition });
    case "for": {
      const words = body.words?.flatMap((word) => expandWord(shell, word, substitute)) ?? shell.parameters.slice(1);
      return runFor(shell, body, words, { runList, runCondition });
    }
    case "if":
      return runIf(shell, body);
    case "case":
      return runCase(shell, body);
    case "function":
      shell.functions.set(body.name, body.body);
      shell.exitCode = 0;
      return;
    case "arithmetic":
      shell.exitCode = arithmeticValue(shell, body.expression, substitute) === 0 ? 1 : 0;
  }
}

/** Whether a condition holds. Its failure is no reason to stop. */
function runCondition(shell: Shell, list: List): boolean {
  const { stopsOnFailure, last, own } = shell;
  shell.stopsOnFailure = false;
  shell.last = false;
  shell.own = false;
  runList(shell, list);
  shell.stopsOnFailure = stopsOnFailure;
  shell.last = last;
  shell.own = own;
  return shell.exitCode === 0;
}

function runIf(shell: Shell, { arms, otherwise }: Body & { kind: "if" }): void {
  for (const { condition, list } of arms) {
    const holds = runCondition(shell, condition);
    if (halted(shell)) return;
    if (holds) return runList(shell, list);
  }
  shell.exitCode = 0;
  if (otherwise) runList(shell, otherwise);
}

function runCase(shell: Shell, { word, arms }: Body & { kind: "case" }): void {
  const text = expandText(shell, word, substitute);
  shell.exitCode = 0;
  const spend = (units: number) => charge(shell.process, units);
  for (const { patterns, list } of arms) {
    if (!patterns.some((one) => globMatches(globOf(expandPattern(shell, one, substitute)), text, spend))) continue;
    return runList(shell, list);
  }
}

function runSimple(shell: Shell, { assignments, words, redirects }: Simple): void {
  const before = shell.exitCode;
  shell.exitCode = 0;
  // `[[ a =~ b ]]` and what is compared in it is neither split nor looked up as files.
  const plain = textOf(words[0]) === "[[";
  shell.exitCode = before;
  const expanded = plain
    ? words.map((word, at) => compared(shell, word, textOf(words[at - 1])))
    : words.flatMap((word) => expandWord(shell, word, substitute));
  const values = assignments.flatMap((one) => valuesOf(shell, one));
  const streams = halted(shell) ? undefined : redirect(shell, redirects, (word) => expandText(shell, word, substitute));
  if (!streams) return;
  if (expanded.length === 0) {
    if (!substitutes(assignments)) shell.exitCode = 0;
    for (const { name, text } of values) setVariable(shell, name, text);
    return;
  }
  if (shell.traces) shell.err(`+ ${expanded.join(" ")}\n`);
  const variables =
    values.length > 0
      ? new Map([...shell.variables, ...values.map((one) => [one.name, one.text] as const)])
      : shell.variables;
  const inner = { ...redirected(shell, streams), variables };
  runWords(inner, expanded);
  leave(inner, shell);
}

/** A word inside `[[ ]]`: what stands behind some operators is a pattern. */
function compared(shell: Shell, word: Word, operator: string): string {
  if (operator === "=~") return expandPattern(shell, word, substitute, quotedExpression);
  const isPattern = operator === "=" || operator === "==" || operator === "!=";
  return isPattern ? expandPattern(shell, word, substitute) : expandText(shell, word, substitute);
}

function textOf(word: Word | undefined): string {
  const [only] = word ?? [];
  return word?.length === 1 && only?.type === "text" && !only.quoted ? only.text : "";
}

/** A list is kept as `name[0]`, `name[1]` and so on; the name alone is its first. */
function valuesOf(shell: Shell, { name, value, list }: Assignment): { readonly name: string; readonly text: string }[] {
  if (!list) return [{ name, text: expandText(shell, value, substitute) }];
  const words = list.flatMap((word) => expandWord(shell, word, substitute));
  return words.flatMap((text, at) => [{ name: `${name}[${at}]`, text }, ...(at === 0 ? [{ name, text }] : [])]);
}

/** The exit code of `a=$(false)` is that of what was substituted. */
function substitutes(assignments: Simple["assignments"]): boolean {
  return assignments.some(({ value }) => value.some((part) => part.type === "command"));
}

/** What commands print. */
function substitute(shell: Shell, list: List): string {
  let printed = "";
  const inner: Shell = {
    ...subshell(shell),
    captured: true,
    last: false,
    own: false,
    out: (text) => void (printed += text),
  };
  runList(inner, list);
  shell.exitCode = inner.exitCode;
  return printed;
}
