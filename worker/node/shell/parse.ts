// Reads a shell script: lists, pipelines, loops, conditions, functions and redirections.
import { charge, comeBack, enter, hold, type Metered, scan } from "./meter.ts";
import { count, fail, match, peek, type Reader, readerOf, skipBlanks, take } from "./reader.ts";
import type { Arm, Assignment, Body, CaseArm, Command, Item, List, Pipeline, Redirect, Word } from "./syntax.ts";
import { literal } from "./syntax.ts";
import { arithmetic, quotedText, readWord } from "./words.ts";

/** `bytes`: what the list takes; they are held for it. */
export type Script = { readonly list: List; readonly bytes: number } | { readonly error: string };

export function parseScript(text: string, payer: Metered): Script {
  scan(payer, text);
  const reader = readerOf(text, payer);
  const list = readList(reader);
  skipBlanks(reader);
  if (reader.at < reader.text.length) fail(reader, `syntax error: unexpected "${peek(reader)}"`);
  const { bytes } = reader.size;
  if (reader.error === undefined) return { list, bytes };
  hold(payer, -bytes);
  return { error: reader.error };
}

const closing = /(?:then|elif|else|fi|do|done|esac|\})(?=$|[\s;|&()])/y;

/** Commands up to a closing word, which is left for the caller. */
function readList(reader: Reader): List {
  enter(reader.payer);
  const items = readItems(reader);
  comeBack(reader.payer);
  return items;
}

function readItems(reader: Reader): List {
  const items: Item[] = [];
  let before: Item["before"] = ";";
  while (reader.error === undefined) {
    skipSeparators(reader);
    if (reader.at >= reader.text.length || atEnd(reader)) break;
    const pipeline = readPipeline(reader);
    if (!pipeline) break;
    skipBlanks(reader);
    count(reader);
    const joined = match(reader, /&&|\|\|/y);
    const background = joined === undefined && peek(reader, 2) !== ";;" && match(reader, /&(?!&)/y) !== undefined;
    items.push({ before, pipeline, background });
    before = joined === "&&" || joined === "||" ? joined : ";";
  }
  return items;
}

function atEnd(reader: Reader): boolean {
  closing.lastIndex = reader.at;
  return closing.test(reader.text) || peek(reader) === ")" || peek(reader, 2) === ";;";
}

/** Blanks, ends of lines and single semicolons. */
function skipSeparators(reader: Reader): void {
  for (;;) {
    skipBlanks(reader);
    if (peek(reader) === "\n") {
      reader.at++;
      readHeredocs(reader);
    } else if (peek(reader) === ";" && peek(reader, 2) !== ";;") reader.at++;
    else return;
  }
}

function readHeredocs(reader: Reader): void {
  for (const { end, stripsTabs, raw, set } of reader.pending.splice(0)) {
    let text = "";
    for (;;) {
      const line = match(reader, /[^\n]*\n?/y) ?? "";
      charge(reader.payer, 0.3 + line.length / 256);
      const bare = stripsTabs ? line.replace(/^\t+/, "") : line;
      if (bare.replace(/\r?\n$/, "") === end || line === "") break;
      text += bare;
    }
    set(raw ? [{ type: "text", text, quoted: true }] : quotedText(text, reader, readList));
  }
}

function readPipeline(reader: Reader): Pipeline | undefined {
  const negated = match(reader, /!(?=\s)/y) !== undefined;
  const commands: Command[] = [];
  do {
    skipSeparators(reader);
    const command = readCommand(reader);
    if (!command) {
      if (reader.at < reader.text.length) fail(reader, `syntax error: unexpected "${peek(reader)}"`);
      break;
    }
    commands.push(command);
    count(reader);
    skipBlanks(reader);
  } while (match(reader, /\|(?!\|)&?/y) !== undefined);
  return commands.length > 0 ? { negated, commands } : undefined;
}

function readCommand(reader: Reader): Command | undefined {
  skipBlanks(reader);
  const body = readBody(reader);
  if (!body) return readSimple(reader);
  return { type: "compound", body, redirects: readRedirects(reader) };
}

function readBody(reader: Reader): Body | undefined {
  if (match(reader, /\{(?=\s)/y) !== undefined) return { kind: "group", list: enclosed(reader, "}") };
  if (take(reader, "((")) return { kind: "arithmetic", expression: arithmetic(reader, readList) };
  if (take(reader, "(")) return { kind: "subshell", list: enclosed(reader, ")") };
  const named = match(
    reader,
    /(?:function\s+)?[A-Za-z_:][\w:.-]*[ \t]*\(\)\s*|function\s+[A-Za-z_:][\w:.-]*\s+(?=\{)/y,
  );
  if (named !== undefined) {
    const name = /[A-Za-z_:][\w:.-]*/.exec(named.replace(/^function\s+/, ""))?.[0] ?? "";
    enter(reader.payer);
    const body = readCommand(reader);
    comeBack(reader.payer);
    return body && { kind: "function", name, body };
  }
  const word = match(reader, /(?:while|until|for|if|case)(?=\s)/y);
  if (word === "while" || word === "until") {
    const condition = enclosed(reader, "do");
    return { kind: "while", until: word === "until", condition, list: enclosed(reader, "done") };
  }
  if (word === "for") return readFor(reader);
  if (word === "if") return readIf(reader);
  return word === "case" ? readCase(reader) : undefined;
}

function enclosed(reader: Reader, end: string): List {
  const list = readList(reader);
  if (!take(reader, end)) fail(reader, `syntax error: unexpected end of file (expecting "${end}")`);
  return list;
}

function readFor(reader: Reader): Body {
  skipBlanks(reader);
  const name = match(reader, /[A-Za-z_]\w*/y) ?? "";
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
  if (!take(reader, "do")) fail(reader, 'syntax error: unexpected end of file (expecting "do")');
  return { kind: "for", name, words, list: enclosed(reader, "done") };
}

function readIf(reader: Reader): Body {
  const arms: Arm[] = [];
  let otherwise: List | undefined;
  for (;;) {
    const condition = enclosed(reader, "then");
    const list = readList(reader);
    arms.push({ condition, list });
    if (take(reader, "elif")) continue;
    if (take(reader, "else")) otherwise = readList(reader);
    if (!take(reader, "fi")) fail(reader, 'syntax error: unexpected end of file (expecting "fi")');
    return { kind: "if", arms, otherwise };
  }
}

function readCase(reader: Reader): Body {
  skipBlanks(reader);
  const word = readWord(reader, readList) ?? [];
  skipSeparators(reader);
  if (!take(reader, "in")) fail(reader, 'syntax error: unexpected end of file (expecting "in")');
  const arms: CaseArm[] = [];
  for (;;) {
    skipSeparators(reader);
    if (reader.error !== undefined || match(reader, /esac(?=$|[\s;|&)])/y) !== undefined) break;
    take(reader, "(");
    const patterns: Word[] = [];
    do {
      skipBlanks(reader);
      const pattern = readWord(reader, readList);
      if (pattern) patterns.push(pattern);
      skipBlanks(reader);
    } while (take(reader, "|"));
    if (!take(reader, ")")) fail(reader, `syntax error: unexpected "${peek(reader)}" (expecting ")")`);
    arms.push({ patterns, list: readList(reader) });
    take(reader, ";;");
  }
  return { kind: "case", word, arms };
}

function readSimple(reader: Reader): Command | undefined {
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
    const name = words.length === 0 ? match(reader, /[A-Za-z_]\w*(?==)/y) : undefined;
    if (name !== undefined) {
      reader.at++;
      count(reader);
      const list = take(reader, "(") ? readArray(reader) : undefined;
      assignments.push({ name, list, value: list ? [] : (readWord(reader, readList) ?? []) });
      continue;
    }
    const raw = literal(words[0] ?? []) === "[[";
    if (raw && match(reader, /\]\](?=$|[\s;|&)])/y) !== undefined) {
      words.push([{ type: "text", text: "]]", quoted: false }]);
      redirects.push(...readRedirects(reader));
      break;
    }
    const word = readWord(reader, readList, raw);
    if (!word) break;
    words.push(word);
  }
  if (assignments.length + words.length + redirects.length === 0) return undefined;
  return { type: "simple", assignments, words, redirects };
}

function readArray(reader: Reader): Word[] {
  const words: Word[] = [];
  for (skipSeparators(reader); !take(reader, ")"); skipSeparators(reader)) {
    const word = readWord(reader, readList);
    if (!word) {
      fail(reader, 'syntax error: unexpected end of file (expecting ")")');
      break;
    }
    words.push(word);
  }
  return words;
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
  const operator = match(reader, /\d?(?:<<<|<<-?|>>|>\||>&|<&|<|>)|&>>?/y);
  if (operator === undefined) return undefined;
  const bare = operator.replace(/^[\d&]/, "");
  const stream = operator.startsWith("&")
    ? "both"
    : Number(/^\d/.exec(operator)?.[0] ?? (bare.startsWith("<") ? 0 : 1));
  skipBlanks(reader);
  const target = readWord(reader, readList) ?? [];
  if (bare === "<<" || bare === "<<-") {
    const heredoc: { -readonly [key in keyof Redirect]: Redirect[key] } = {
      operator: "<<",
      stream: 0,
      target: [],
      duplicate: false,
    };
    const raw = target.some((part) => part.type === "text" && part.quoted);
    const set = (text: Word) => void (heredoc.target = text);
    reader.pending.push({ end: literal(target) ?? "", stripsTabs: bare === "<<-", raw, set });
    return heredoc;
  }
  const kind = bare.startsWith("<<<") ? "<<<" : bare.startsWith(">>") ? ">>" : bare.startsWith(">") ? ">" : "<";
  return { operator: kind, stream, target, duplicate: bare.endsWith("&") };
}
