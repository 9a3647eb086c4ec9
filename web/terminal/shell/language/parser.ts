// Reads the shell's language: lists, pipelines, loops, conditions, functions and redirections.
import { Reader, Unfinished } from "./reader.ts";
import type { Arm, Assignment, Body, CaseArm, Command, Item, List, Pipeline, Redirect, Word } from "./syntax.ts";
import { literal } from "./syntax.ts";
import { quotedText, readArithmetic, readWord } from "./words.ts";

/** Throws `Unfinished` where more lines must come, `BadSyntax` where none could mend it. */
export function parse(text: string): List {
  const reader = new Reader(text);
  const list = readList(reader);
  reader.skipBlanks();
  if (!reader.isAtEnd) reader.unexpected();
  if (reader.pending.length > 0) throw new Unfinished("here-document delimited by end-of-file");
  return list;
}

const closing = /(?:then|elif|else|fi|do|done|esac|\})(?=$|[\s;|&()])/y;

/** Commands up to a closing word, which is left for the caller. */
function readList(reader: Reader): List {
  return reader.deeper(() => {
    const items: Item[] = [];
    let before: Item["before"] = ";";
    for (;;) {
      skipSeparators(reader);
      if (reader.isAtEnd || isAtClosing(reader)) {
        if (before !== ";") reader.unexpected();
        return items;
      }
      const from = reader.at;
      const pipeline = readPipeline(reader);
      const text = reader.text.slice(from, reader.at).trim();
      reader.skipBlanks();
      const joined = reader.match(/&&|\|\|/y);
      const isBackground = joined === undefined && reader.match(/&(?!&)/y) !== undefined;
      items.push({ before, pipeline, isBackground, text });
      before = joined === "&&" || joined === "||" ? joined : ";";
      if (joined === undefined && !isBackground) endOfItem(reader);
    }
  });
}

/** What may come behind a pipeline. */
function endOfItem(reader: Reader): void {
  reader.skipBlanks();
  if (reader.isAtEnd || isAtClosing(reader) || reader.sees("\n") || reader.sees(";")) return;
  reader.unexpected();
}

function isAtClosing(reader: Reader): boolean {
  closing.lastIndex = reader.at;
  return closing.test(reader.text) || reader.sees(")") || reader.sees(";;");
}

/** Blanks, ends of lines and single semicolons. */
function skipSeparators(reader: Reader): void {
  for (;;) {
    reader.skipBlanks();
    if (reader.take("\n")) readHereDocuments(reader);
    else if (reader.sees(";") && !reader.sees(";;")) reader.at++;
    else return;
  }
}

function readHereDocuments(reader: Reader): void {
  for (const { end, stripsTabs, isRaw, set } of reader.pending.splice(0)) {
    let text = "";
    for (;;) {
      const isLast = reader.isAtEnd;
      const line = reader.match(/[^\n]*\n?/y) ?? "";
      const bare = stripsTabs ? line.replace(/^\t+/, "") : line;
      if (bare.replace(/\r?\n$/, "") === end) break;
      if (isLast) throw new Unfinished("here-document delimited by end-of-file");
      text += bare;
    }
    set(isRaw ? [{ type: "text", text, isQuoted: true }] : quotedText(text, reader.depth, readList));
  }
}

function readPipeline(reader: Reader): Pipeline {
  const isNegated = reader.match(/!(?=\s)/y) !== undefined;
  const commands: Command[] = [];
  do {
    if (commands.length > 0) skipSeparators(reader);
    const command = readCommand(reader);
    if (!command) return reader.unexpected();
    commands.push(command);
    reader.skipBlanks();
  } while (reader.match(/\|(?!\|)&?/y) !== undefined);
  return { isNegated, commands };
}

function readCommand(reader: Reader): Command | undefined {
  reader.skipBlanks();
  const body = readBody(reader);
  if (!body) return readSimple(reader);
  return { type: "compound", body, redirects: readRedirects(reader) };
}

function readBody(reader: Reader): Body | undefined {
  if (reader.match(/\{(?=\s)/y) !== undefined) return { kind: "group", list: enclosed(reader, "}") };
  if (reader.take("((")) return { kind: "arithmetic", expression: readArithmetic(reader, readList) };
  if (reader.take("(")) return { kind: "subshell", list: enclosed(reader, ")") };
  const named = reader.match(/(?:function\s+)?[A-Za-z_][\w:.-]*[ \t]*\(\)\s*|function\s+[A-Za-z_][\w:.-]*\s+(?=\{)/y);
  if (named !== undefined) {
    const name = /[A-Za-z_][\w:.-]*/.exec(named.replace(/^function\s+/, ""))?.[0] ?? "";
    const body = reader.deeper(() => readCommand(reader));
    return body ? { kind: "function", name, body } : reader.unexpected();
  }
  switch (reader.match(/(?:while|until|for|if|case)(?=\s)/y)) {
    case "while":
      return readWhile(reader, false);
    case "until":
      return readWhile(reader, true);
    case "for":
      return readFor(reader);
    case "if":
      return readIf(reader);
    case "case":
      return readCase(reader);
    default:
      return undefined;
  }
}

function enclosed(reader: Reader, end: string): List {
  const list = readList(reader);
  if (!reader.take(end)) reader.unexpected();
  return list;
}

function readWhile(reader: Reader, isUntil: boolean): Body {
  const condition = enclosed(reader, "do");
  return { kind: "while", isUntil, condition, list: enclosed(reader, "done") };
}

function readFor(reader: Reader): Body {
  reader.skipBlanks();
  const name = reader.match(/[A-Za-z_]\w*/y) ?? reader.unexpected();
  skipSeparators(reader);
  let words: Word[] | undefined;
  if (reader.match(/in(?=\s|;)/y) !== undefined) {
    words = [];
    for (reader.skipBlanks(); ; reader.skipBlanks()) {
      const word = readWord(reader, readList);
      if (!word) break;
      words.push(word);
    }
  }
  skipSeparators(reader);
  if (!reader.take("do")) reader.unexpected();
  return { kind: "for", name, words, list: enclosed(reader, "done") };
}

function readIf(reader: Reader): Body {
  const arms: Arm[] = [];
  let otherwise: List | undefined;
  for (;;) {
    const condition = enclosed(reader, "then");
    arms.push({ condition, list: readList(reader) });
    if (reader.take("elif")) continue;
    if (reader.take("else")) otherwise = readList(reader);
    if (!reader.take("fi")) reader.unexpected();
    return { kind: "if", arms, otherwise };
  }
}

function readCase(reader: Reader): Body {
  reader.skipBlanks();
  const word = readWord(reader, readList) ?? reader.unexpected();
  skipSeparators(reader);
  if (!reader.take("in")) reader.unexpected();
  const arms: CaseArm[] = [];
  for (;;) {
    skipSeparators(reader);
    if (reader.match(/esac(?=$|[\s;|&)])/y) !== undefined) return { kind: "case", word, arms };
    reader.take("(");
    const patterns: Word[] = [];
    do {
      reader.skipBlanks();
      patterns.push(readWord(reader, readList) ?? reader.unexpected());
      reader.skipBlanks();
    } while (reader.take("|"));
    if (!reader.take(")")) reader.unexpected();
    arms.push({ patterns, list: readList(reader) });
    reader.take(";;");
  }
}

function readSimple(reader: Reader): Command | undefined {
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  for (;;) {
    reader.skipBlanks();
    const redirect = readRedirect(reader);
    if (redirect) {
      redirects.push(redirect);
      continue;
    }
    const name = words.length === 0 ? reader.match(/[A-Za-z_]\w*(?==)/y) : undefined;
    if (name !== undefined) {
      reader.at++;
      assignments.push({ name, value: readWord(reader, readList) ?? [] });
      continue;
    }
    const isRaw = literal(words[0] ?? []) === "[[";
    if (isRaw && reader.match(/\]\](?=$|[\s;|&)])/y) !== undefined) {
      words.push([{ type: "text", text: "]]", isQuoted: false }]);
      redirects.push(...readRedirects(reader));
      break;
    }
    const word = readWord(reader, readList, isRaw);
    if (!word) break;
    words.push(word);
  }
  if (assignments.length + words.length + redirects.length === 0) return undefined;
  return { type: "simple", assignments, words, redirects };
}

function readRedirects(reader: Reader): Redirect[] {
  const redirects: Redirect[] = [];
  for (reader.skipBlanks(); ; reader.skipBlanks()) {
    const redirect = readRedirect(reader);
    if (!redirect) return redirects;
    redirects.push(redirect);
  }
}

function readRedirect(reader: Reader): Redirect | undefined {
  const operator = reader.match(/\d?(?:<<<|<<-?|>>|>\||>&|<&|<(?!\()|>)|&>>?/y);
  if (operator === undefined) return undefined;
  const bare = operator.replace(/^[\d&]/, "");
  const first = /^\d/.exec(operator)?.[0];
  const stream = operator.startsWith("&") ? "both" : Number(first ?? (bare.startsWith("<") ? 0 : 1));
  reader.skipBlanks();
  const target = readWord(reader, readList) ?? reader.unexpected();
  if (bare === "<<" || bare === "<<-") return hereDocument(reader, target, bare === "<<-");
  const kind = bare === "<<<" || bare === ">>" ? bare : bare.startsWith(">") ? ">" : "<";
  return { operator: kind, stream, target, isDuplicate: bare.endsWith("&") };
}

function hereDocument(reader: Reader, target: Word, stripsTabs: boolean): Redirect {
  const found: { -readonly [key in keyof Redirect]: Redirect[key] } = {
    operator: "<<",
    stream: 0,
    target: [],
    isDuplicate: false,
  };
  const isRaw = target.some((part) => part.type === "text" && part.isQuoted);
  const set = (text: Word) => void (found.target = text);
  reader.pending.push({ end: literal(target) ?? "", stripsTabs, isRaw, set });
  return found;
}
