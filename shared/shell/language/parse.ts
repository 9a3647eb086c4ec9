// The parser of shell scripts: lists, pipelines, loops, conditions, functions and redirections.
import { anyLanguage, isUnfinished, type Language, type Problem } from "./problem.ts";
import { charge, leaveLevel, enterLevel, type Metered, chargeForReading } from "../meter.ts";
import {
  count,
  fail,
  keepText,
  lineOf,
  match,
  peek,
  type Reader,
  readerOf,
  skipBlanks,
  take,
  unexpected,
} from "./reader.ts";
import {
  type Arm,
  type Assignment,
  type Body,
  type CaseArm,
  type Command,
  type Element,
  type Item,
  type List,
  type Pipeline,
  type Redirect,
  type Word,
  literal,
} from "./syntax.ts";
import { arithmetic, has, quotedText, readWord } from "./words.ts";

/**
 * A parsed script. `bytes`: the memory that is held for the list. `isOpen`: further lines could correct or end it, such as those of a
 * here-document. If there is an error, the list has the lines before it.
 */
export interface Script {
  readonly list: List;
  readonly bytes: number;
  readonly isOpen: boolean;
  readonly error?: Problem;
}

/** Parses a script. `line`: the number of the first line. */
export function parseScript(text: string, payer: Metered, language: Language = anyLanguage, line = 1): Script {
  chargeForReading(payer, text);
  const reader = readerOf(text, payer, language, undefined, line);
  enterLevel(payer);
  const { items, completeItems } = readItems(reader);
  leaveLevel(payer);
  skipBlanks(reader);
  if (reader.at < text.length) unexpected(reader);
  const { bytes, hasOpenHeredoc } = reader.size;
  const { error } = reader;
  if (!error) return { list: items, bytes, isOpen: hasOpenHeredoc || reader.pending.length > 0 };
  return { list: items.slice(0, completeItems), bytes, isOpen: isUnfinished(error), error };
}

const closing = /(?:then|elif|else|fi|do|done|esac|\})(?=$|[\s;|&()])/y;

/** Reads commands up to a closing word, which is left for the caller. */
function readList(reader: Reader): List {
  enterLevel(reader.payer);
  const { items } = readItems(reader);
  leaveLevel(reader.payer);
  return items;
}

/** Reads items. `completeItems`: the number of items in lines that end before the error. */
function readItems(reader: Reader): { readonly items: List; readonly completeItems: number } {
  const items: Item[] = [];
  let completeItems = 0;
  let before: Item["before"] = ";";
  while (reader.error === undefined) {
    if (skipNewlines(reader) && before === ";") completeItems = items.length;
    if (reader.at >= reader.text.length || atEnd(reader)) {
      if (before !== ";") unexpected(reader);
      break;
    }
    const from = reader.at;
    const pipeline = readPipeline(reader);
    if (!pipeline) {
      unexpected(reader);
      break;
    }
    skipBlanks(reader);
    count(reader);
    const joined = match(reader, /&&|\|\|/y);
    const written = reader.text.slice(from, reader.at).trim();
    const background = joined === undefined && match(reader, /&(?!&)/y) !== undefined ? written : undefined;
    if (background !== undefined) keepText(reader, background);
    items.push({ before, pipeline, background });
    before = joined === "&&" || joined === "||" ? joined : ";";
    if (joined !== undefined || background !== undefined) continue;
    const ends =
      match(reader, /;(?!;)/y) !== undefined || /^(?:\n|\)|;;|)$/.test(peek(reader, peek(reader) === ";" ? 2 : 1));
    if (!ends && !atEnd(reader)) unexpected(reader);
  }
  return { items, completeItems };
}

function atEnd(reader: Reader): boolean {
  closing.lastIndex = reader.at;
  return closing.test(reader.text) || peek(reader) === ")" || peek(reader, 2) === ";;";
}

/** Skips blanks and newlines. Returns whether there was a newline. */
function skipNewlines(reader: Reader): boolean {
  for (let isNew = false; ; isNew = true) {
    skipBlanks(reader);
    if (peek(reader) !== "\n") return isNew;
    reader.at++;
    readHeredocs(reader);
  }
}

/** Skips newlines and one semicolon before a word that ends a list. */
function skipSeparators(reader: Reader): void {
  skipNewlines(reader);
  if (match(reader, /;(?!;)/y) !== undefined) skipNewlines(reader);
}

function readHeredocs(reader: Reader): void {
  for (const { end, stripsTabs, raw, set } of reader.pending.splice(0)) {
    let text = "";
    for (;;) {
      const line = match(reader, /[^\n]*\n?/y) ?? "";
      charge(reader.payer, 0.3 + line.length / 256);
      const bare = stripsTabs ? line.replace(/^\t+/, "") : line;
      if (bare.replace(/\r?\n$/, "") === end) break;
      if (line === "") {
        reader.size.hasOpenHeredoc = true;
        break;
      }
      text += bare;
    }
    set(raw ? [{ type: "text", text, quoted: true }] : quotedText(text, reader, readList));
  }
}

function readPipeline(reader: Reader): Pipeline | undefined {
  const negated = match(reader, /!(?=\s)/y) !== undefined;
  const commands: Command[] = [];
  do {
    skipNewlines(reader);
    const command = readCommand(reader);
    if (!command) {
      if (commands.length > 0) unexpected(reader);
      break;
    }
    commands.push(command);
    count(reader);
    skipBlanks(reader);
  } while (match(reader, has(reader, "bash") ? /\|(?!\|)&?/y : /\|(?!\|)/y) !== undefined);
  return commands.length > 0 ? { negated, commands } : undefined;
}

function readCommand(reader: Reader): Command | undefined {
  skipBlanks(reader);
  const line = lineOf(reader);
  const body = readBody(reader);
  if (!body) return readSimple(reader, line);
  return { type: "compound", line, body, redirects: readRedirects(reader) };
}

function readBody(reader: Reader): Body | undefined {
  if (match(reader, /\{(?=\s)/y) !== undefined) return { kind: "group", list: enclosed(reader, "}") };
  const hasArithmetic = has(reader, "bash");
  if (hasArithmetic && take(reader, "((")) return { kind: "arithmetic", expression: arithmetic(reader, readList) };
  if (take(reader, "(")) return { kind: "subshell", list: enclosed(reader, ")") };
  const declared = has(reader, "ash")
    ? /(?:function\s+)?[A-Za-z_:][\w:.-]*[ \t]*\(\)\s*|function\s+[A-Za-z_:][\w:.-]*\s+(?=\{)/y
    : /[A-Za-z_]\w*[ \t]*\(\)\s*/y;
  const named = match(reader, declared);
  if (named !== undefined) {
    const name = /[A-Za-z_:][\w:.-]*/.exec(named.replace(/^function\s+/, ""))?.[0] ?? "";
    enterLevel(reader.payer);
    const body = readCommand(reader);
    leaveLevel(reader.payer);
    if (!body) unexpected(reader);
    return body && { kind: "function", name, body };
  }
  const word = match(reader, /(?:while|until|for|if|case)(?=\s|$|;|\(\()/y);
  if (word === "while" || word === "until") {
    const condition = enclosed(reader, "do");
    return { kind: "while", until: word === "until", condition, list: enclosed(reader, "done") };
  }
  if (word === "for") return readFor(reader);
  if (word === "if") return readIf(reader);
  return word === "case" ? readCase(reader) : undefined;
}

/** Reads at least one command, and the word that closes the list. */
function enclosed(reader: Reader, end: string): List {
  const list = readList(reader);
  if (list.length === 0) unexpected(reader, reader.at >= reader.text.length ? end : undefined);
  else closed(reader, end);
  return list;
}

function closed(reader: Reader, end: string): void {
  skipBlanks(reader);
  if (!take(reader, end)) unexpected(reader, end);
}

function readFor(reader: Reader): Body {
  skipBlanks(reader);
  if (has(reader, "bash") && take(reader, "((")) return readCounted(reader);
  const name = match(reader, /[A-Za-z_]\w*(?![^\s;])/y);
  if (name === undefined) {
    if (reader.language.dialect === "bash") unexpected(reader, undefined, true);
    fail(reader, { bad: "bad for loop variable" });
  }
  skipSeparators(reader);
  let words: Word[] | undefined;
  if (match(reader, /in(?=\s|;)/y) !== undefined) {
    words = [];
    for (skipBlanks(reader); ; skipBlanks(reader)) {
      const word = readWord(reader, readList);
      if (!word) break;
      words.push(word);
    }
  }
  skipSeparators(reader);
  closed(reader, "do");
  return { kind: "for", name: name ?? "", words, list: enclosed(reader, "done") };
}

/** Reads `for ((i = 0; i < 3; i++))` after its brackets. */
function readCounted(reader: Reader): Body {
  const clauses: Word[] = [];
  let clause: Word[number][] = [];
  for (const piece of arithmetic(reader, readList)) {
    const [first = "", ...furtherTexts] = piece.type === "text" ? piece.text.split(";") : [];
    clause.push(piece.type === "text" ? { ...piece, text: first } : piece);
    for (const text of furtherTexts) {
      clauses.push(clause);
      clause = [{ type: "text", text, quoted: false }];
    }
  }
  clauses.push(clause);
  skipSeparators(reader);
  if (match(reader, /\{(?=\s)/y) !== undefined) return { kind: "counted", clauses, list: enclosed(reader, "}") };
  closed(reader, "do");
  return { kind: "counted", clauses, list: enclosed(reader, "done") };
}

function readIf(reader: Reader): Body {
  const arms: Arm[] = [];
  let otherwise: List | undefined;
  for (;;) {
    const condition = enclosed(reader, "then");
    const list = readList(reader);
    if (list.length === 0) unexpected(reader);
    arms.push({ condition, list });
    if (take(reader, "elif")) continue;
    if (take(reader, "else")) {
      otherwise = readList(reader);
      if (otherwise.length === 0) unexpected(reader);
    }
    closed(reader, "fi");
    return { kind: "if", arms, otherwise };
  }
}

function readCase(reader: Reader): Body {
  skipBlanks(reader);
  const word = readWord(reader, readList) ?? [];
  skipSeparators(reader);
  closed(reader, "in");
  const arms: CaseArm[] = [];
  for (;;) {
    skipNewlines(reader);
    if (reader.error !== undefined || match(reader, /esac(?=$|[\s;|&)])/y) !== undefined) break;
    take(reader, "(");
    const patterns: Word[] = [];
    do {
      skipBlanks(reader);
      const pattern = readWord(reader, readList);
      if (pattern) patterns.push(pattern);
      skipBlanks(reader);
    } while (take(reader, "|"));
    closed(reader, ")");
    arms.push({ patterns, list: readList(reader) });
    skipBlanks(reader);
    if (!take(reader, ";;") && match(reader, /esac(?=$|[\s;|&)])/y) === undefined) unexpected(reader, ";;");
    else if (reader.text.slice(reader.at - 2, reader.at) !== ";;") break;
    match(reader, /&/y);
  }
  return { kind: "case", word, arms };
}

function readSimple(reader: Reader, line: number): Command | undefined {
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(reader);
    const redirect = readRedirect(reader);
    if (redirect) {
      redirects.push(redirect);
      count(reader);
      continue;
    }
    const assignment = words.length === 0 || declares(words) ? readAssignment(reader) : undefined;
    if (assignment && words.length === 0) {
      assignments.push(assignment);
      continue;
    }
    if (assignment) {
      words.push(...declaredWords(assignment));
      continue;
    }
    const raw = literal(words[0] ?? []) === "[[" && has(reader, "ash");
    if (raw && match(reader, /\]\](?=$|[\s;|&)])/y) !== undefined) {
      words.push([{ type: "text", text: "]]", quoted: false }]);
      redirects.push(...readRedirects(reader));
      break;
    }
    if (raw) skipNewlines(reader);
    const word = readWord(reader, readList, raw);
    if (!word) break;
    words.push(word);
    if (words.length > 1 || raw || assignments.length > 0) continue;
    skipBlanks(reader);
    if (peek(reader) === "(") openBracket(reader);
  }
  if (assignments.length + words.length + redirects.length === 0) return undefined;
  return { type: "simple", line, assignments, words, redirects };
}

/** Reads `foo(`, which begins a function if `)` follows. */
function openBracket(reader: Reader): void {
  reader.at++;
  if (reader.language.dialect === "bash") unexpected(reader, undefined, true);
  else unexpected(reader, ")");
}

function declares(words: readonly Word[]): boolean {
  return /^(?:declare|typeset|local|readonly|export)$/.test(literal(words[0] ?? []) ?? "");
}

/** Returns the words of `declare -A m=([a]=1)`: one for each element. An assignment without a list is one word. */
function declaredWords({ name, index, value, list, appends }: Assignment): Word[] {
  const sign = appends ? "+=" : "=";
  const text = (literalText: string): Word[number] => ({ type: "text", text: literalText, quoted: true });
  const elementWord = (at: Word | undefined, to: Word): Word =>
    at ? [text(`${name}[`), ...at, text(`]${sign}`), ...quotedParts(to)] : [text(name + sign), ...quotedParts(to)];
  if (!list) return [elementWord(index, value)];
  return [
    [text(`${name}=()`)],
    ...list.map((element, at) => elementWord(element.index ?? [text(String(at))], element.value)),
  ];
}

/** Quotes a value, so that it is not split. */
function quotedParts(word: Word): Word {
  return word.map((piece) =>
    piece.type === "file" || piece.quoted ? piece : { ...piece, quoted: piece.type !== "text" || piece.text !== "~" },
  );
}

/** Reads `name=value`, `name+=value`, `name[index]=value` or `name=(one two)`. */
function readAssignment(reader: Reader): Assignment | undefined {
  const isBash = has(reader, "bash");
  const matched = match(reader, isBash ? /[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=/y : /[A-Za-z_]\w*=/y);
  if (matched === undefined) return undefined;
  count(reader);
  const [, name = "", at, plus] = /^(\w+)(?:\[(.*)\])?(\+?)=$/s.exec(matched) ?? [];
  const list = isBash && take(reader, "(") ? readArray(reader) : undefined;
  const value = list ? [] : (readWord(reader, readList) ?? []);
  const index = at === undefined ? {} : { index: quotedText(at.replace(/^["']|["']$/g, ""), reader, readList) };
  return { name, ...index, list, value, appends: plus === "+" };
}

function readArray(reader: Reader): Element[] {
  const elements: Element[] = [];
  for (skipNewlines(reader); !take(reader, ")"); skipNewlines(reader)) {
    const at = match(reader, /\[[^\]\s]*\]=/y)?.slice(1, -2);
    const word = readWord(reader, readList);
    if (!word && at === undefined) {
      unexpected(reader, ")");
      break;
    }
    count(reader);
    const index = at === undefined ? {} : { index: quotedText(at.replace(/^["']|["']$/g, ""), reader, readList) };
    elements.push({ ...index, value: word ?? [] });
  }
  return elements;
}

function readRedirects(reader: Reader): Redirect[] {
  const redirects: Redirect[] = [];
  for (skipBlanks(reader); ; skipBlanks(reader)) {
    const redirect = readRedirect(reader);
    if (!redirect) return redirects;
    redirects.push(redirect);
  }
}

function readRedirect(reader: Reader): Redirect | undefined {
  const isBash = has(reader, "bash");
  const both = has(reader, "ash") ? match(reader, /&>>?/y) : undefined;
  const operator =
    both ??
    match(
      reader,
      isBash
        ? /\d?(?:<<<|<<-?|>>|>\||>&|<&|<>|<(?!\()|>(?!\())/y
        : /\d?(?:<<-?(?!<)|>>|>\||>&|<&|<>|<(?![(<])|>(?!\())/y,
    );
  if (operator === undefined) return undefined;
  const bare = operator.replace(/^[\d&]/, "");
  const stream = both === undefined ? Number(/^\d/.exec(operator)?.[0] ?? (bare.startsWith("<") ? 0 : 1)) : "both";
  skipBlanks(reader);
  const target = readWord(reader, readList);
  if (!target) unexpected(reader);
  if (bare === "<<" || bare === "<<-") return heredocOf(reader, target ?? [], bare === "<<-");
  const kind = bare.startsWith("<<<") ? "<<<" : bare.startsWith(">>") ? ">>" : bare.startsWith(">") ? ">" : "<";
  return { operator: kind, stream, target: target ?? [], duplicate: bare.endsWith("&") };
}

function heredocOf(reader: Reader, target: Word, stripsTabs: boolean): Redirect {
  const heredoc: { -readonly [key in keyof Redirect]: Redirect[key] } = {
    operator: "<<",
    stream: 0,
    target: [],
    duplicate: false,
  };
  const raw = target.some((piece) => piece.type === "text" && piece.quoted);
  const set = (text: Word) => void (heredoc.target = text);
  reader.pending.push({ end: literal(target) ?? "", stripsTabs, raw, set });
  return heredoc;
}
