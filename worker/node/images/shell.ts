// `sh -c "..."`, understood as far as time and exit codes go: sequences, and, or, loops, functions of time.
import type { Outcome } from "./outcome.ts";

type Run = (words: readonly string[]) => Outcome;

/** How long the script runs and with what it exits. Conditions of `if` are taken as true, those of `while` by their program. */
export function runScript(script: string, run: Run): Outcome {
  const tokens = tokenize(script);
  const state: State = {
    tokens,
    at: 0,
    run,
    runsMs: 0,
    exitCode: 0,
    exited: false,
    heedsTerm: /\btrap\b/.test(script),
  };
  runList(state, []);
  return { runsMs: state.runsMs, exitCode: state.exitCode, heedsTerm: state.heedsTerm };
}

interface State {
  readonly tokens: readonly string[];
  at: number;
  readonly run: Run;
  runsMs: number;
  exitCode: number;
  /** `exit` was reached, or a command never ends. */
  exited: boolean;
  heedsTerm: boolean;
}

const separators = new Set([";", "\n", "&&", "||", "|", "&"]);

/** Commands up to one of the closing words, which is consumed. */
function runList(state: State, closing: readonly string[]): string {
  let skip = false;
  while (state.at < state.tokens.length) {
    const token = state.tokens[state.at] ?? "";
    if (closing.includes(token)) {
      state.at++;
      return token;
    }
    if (separators.has(token)) {
      state.at++;
      skip = (token === "&&" && state.exitCode !== 0) || (token === "||" && state.exitCode === 0);
      continue;
    }
    runCommand(state, skip);
    skip = false;
  }
  return "";
}

function runCommand(state: State, skip: boolean): void {
  const word = state.tokens[state.at] ?? "";
  if (word === "while" || word === "until") return runWhile(state, word === "until", skip);
  if (word === "for") return runFor(state, skip);
  if (word === "if") return runIf(state, skip);
  if (word === "{" || word === "(") {
    state.at++;
    within(state, skip, [word === "{" ? "}" : ")"]);
    return;
  }
  const words: string[] = [];
  while (
    state.at < state.tokens.length &&
    !separators.has(state.tokens[state.at] ?? "") &&
    !/^[)}]$/.test(state.tokens[state.at] ?? "")
  ) {
    words.push(state.tokens[state.at++] ?? "");
  }
  if (words.length === 0) state.at++;
  if (!skip && !state.exited) simple(state, withoutRedirections(words));
}

function simple(state: State, words: readonly string[]): void {
  const start = words.findIndex((one) => !/^[A-Za-z_]\w*=/.test(one));
  const rest = start < 0 ? [] : words.slice(start);
  if (rest.length === 0) {
    state.exitCode = 0;
    return;
  }
  // What runs in the background takes no time.
  if (state.tokens[state.at] === "&") {
    state.exitCode = 0;
    return;
  }
  if (rest[0] === "wait") {
    state.runsMs = Number.POSITIVE_INFINITY;
    state.exited = true;
    return;
  }
  const { runsMs, exitCode, heedsTerm } = state.run(rest);
  state.runsMs += runsMs;
  state.exitCode = exitCode;
  if (rest[0] === "exit" || rest[0] === "exec" || runsMs === Number.POSITIVE_INFINITY) state.exited = true;
  if (rest[0] === "exit" && rest.length === 1) state.exitCode = 0;
  if (rest[0] === "exec" && heedsTerm) state.heedsTerm = true;
}

function runWhile(state: State, until: boolean, skip: boolean): void {
  state.at++;
  const before = { runsMs: state.runsMs, exitCode: state.exitCode };
  within(state, skip, ["do"]);
  const enters = (state.exitCode === 0) !== until;
  const from = state.runsMs;
  within(state, skip || !enters, ["done"]);
  if (skip) return void Object.assign(state, before);
  if (!enters || state.exited) return;
  // A loop whose condition holds once holds for ever, unless its body leaves it.
  state.runsMs = state.runsMs >= from ? Number.POSITIVE_INFINITY : from;
  state.exited = true;
}

function runFor(state: State, skip: boolean): void {
  state.at += 2;
  const items: string[] = [];
  while (state.at < state.tokens.length && state.tokens[state.at] !== "do") {
    const token = state.tokens[state.at++] ?? "";
    if (token !== "in" && !separators.has(token)) items.push(token);
  }
  state.at++;
  const rounds = items.reduce((sum, item) => sum + count(item), 0);
  const from = state.runsMs;
  within(state, skip || rounds === 0, ["done"]);
  if (!state.exited && rounds > 1) state.runsMs = from + (state.runsMs - from) * rounds;
}

/** How many words an item of a `for` stands for: `$(seq 1 10)` and `{1..10}` are ten. */
function count(item: string): number {
  const range = /^\{(-?\d+)\.\.(-?\d+)\}$/.exec(item);
  if (range) return Math.abs(Number(range[2]) - Number(range[1])) + 1;
  const seq = /^[$`]\(?\s*seq\s+(\d+)(?:\s+(\d+))?\s*[)`]$/.exec(item);
  if (seq) return seq[2] === undefined ? Number(seq[1]) : Math.max(0, Number(seq[2]) - Number(seq[1]) + 1);
  return 1;
}

function runIf(state: State, skip: boolean): void {
  state.at++;
  within(state, skip, ["then"]);
  let taken = skip || state.exitCode === 0;
  let end = within(state, skip || !taken, ["else", "elif", "fi"]);
  while (end === "else" || end === "elif") {
    if (end === "elif") {
      within(state, taken, ["then"]);
      const enters = !taken && state.exitCode === 0;
      end = within(state, !enters, ["else", "elif", "fi"]);
      taken ||= enters;
    } else {
      end = within(state, taken, ["fi"]);
    }
  }
}

/** Runs a nested list, or only reads past it. */
function within(state: State, skip: boolean, closing: readonly string[]): string {
  if (!skip) return runList(state, closing);
  const before = { runsMs: state.runsMs, exitCode: state.exitCode, exited: state.exited };
  state.exited = true;
  const end = runList(state, closing);
  Object.assign(state, before);
  return end;
}

function withoutRedirections(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (/^\d*(>>?|<)$/.test(word)) at++;
    else if (!/^\d*[<>]/.test(word)) kept.push(word);
  }
  return kept;
}

/** Words and operators; quotes and `$( )` keep what is inside together. */
function tokenize(script: string): string[] {
  const pattern =
    /\\\n|#[^\n]*|(\n|&&|\|\||;;|[;|&()])|((?:"(?:\\.|[^"\\])*"|'[^']*'|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\d*>&\d|&>|\$\{[^}]*\}|\\.|[^\s;|&()"'`\\])+)/g;
  const tokens: string[] = [];
  for (const [, operator, word] of script.matchAll(pattern)) {
    if (operator !== undefined) tokens.push(operator === ";;" ? ";" : operator);
    else if (word !== undefined) tokens.push(unquote(word));
  }
  return tokens;
}

function unquote(word: string): string {
  return word.replace(
    /"((?:\\.|[^"\\])*)"|'([^']*)'/g,
    (_, double?: string, single?: string) => double ?? single ?? "",
  );
}
