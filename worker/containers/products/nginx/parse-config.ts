// Parses the text of nginx's configuration into directives and blocks.
import { BoundedCache } from "../../../../shared/base/bounded-cache.ts";

export interface Directive {
  readonly name: string;
  /** The words after the name, without quotes. */
  readonly args: readonly string[];
  /** Undefined if no block follows. */
  readonly body?: readonly Directive[];
  /** The line at which the directive begins, from 1. */
  readonly line: number;
  /** The file that contains the directive. */
  readonly path: string;
}

interface Block {
  readonly directives: Directive[];
  words: string[];
  line: number;
}

interface Mistake {
  readonly why: string;
  readonly line: number;
}

interface Read {
  readonly text: string;
  readonly directives: readonly Directive[];
  readonly mistake: Mistake | undefined;
}

/** Parsed texts, because containers of one image begin with the same texts. Bounded in characters. */
const parsedTexts = new BoundedCache<string, Read>(64 * 1024, ({ text }) => text.length);

function read(text: string, path: string): Read {
  const key = `${path}\n${text}`;
  const cachedText = parsedTexts.get(key);
  if (cachedText) return cachedText;
  const parsedText = { text, directives: parseText(text, path), mistake: mistakeOf(text) };
  parsedTexts.set(key, parsedText);
  return parsedText;
}

/** Returns the directives as far as the text can be parsed. Unclosed blocks end with the text. */
export function directivesOf(text: string, path = ""): readonly Directive[] {
  return read(text, path).directives;
}

/** Returns the first syntax error and its place; undefined if there is none. */
export function mistakeIn(text: string, path = ""): Mistake | undefined {
  return read(text, path).mistake;
}

function parseText(text: string, path: string): readonly Directive[] {
  const root: Block = { directives: [], words: [], line: 1 };
  const open: Block[] = [];
  let here = root;
  let line = 1;
  const end = (body?: readonly Directive[]) => {
    const [name, ...args] = here.words;
    if (name !== undefined) here.directives.push({ name, args, ...(body ? { body } : {}), line: here.line, path });
    here.words = [];
  };
  for (let at = 0; at < text.length; ) {
    const letter = text.charAt(at);
    if (letter === "\n") line++;
    if (/\s/.test(letter)) at++;
    else if (letter === "#") {
      const next = text.indexOf("\n", at);
      at = next < 0 ? text.length : next;
    } else if (letter === ";") {
      end();
      at++;
    } else if (letter === "{") {
      const inner: Block = { directives: [], words: [], line };
      end(inner.directives);
      open.push(here);
      here = inner;
      at++;
    } else if (letter === "}") {
      end();
      here = open.pop() ?? root;
      at++;
    } else {
      if (here.words.length === 0) here.line = line;
      const { word, to } = wordAt(text, at);
      here.words.push(word);
      line += word.split("\n").length - 1;
      at = to;
    }
  }
  return root.directives;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "'": "'", "\\": "\\" };

function wordAt(text: string, from: number): { readonly word: string; readonly to: number } {
  const quote = text.charAt(from);
  const isQuoted = quote === '"' || quote === "'";
  const characters: string[] = [];
  let at = isQuoted ? from + 1 : from;
  for (; at < text.length; at++) {
    const letter = text.charAt(at);
    if (isQuoted ? letter === quote : /[\s;{]/.test(letter) && !isVariable(text, at)) break;
    if (letter !== "\\") {
      characters.push(letter);
      continue;
    }
    const next = text.charAt(++at);
    characters.push(Object.hasOwn(escapes, next) ? (escapes[next] ?? "") : letter + next);
  }
  return { word: characters.join(""), to: isQuoted ? at + 1 : at };
}

/** Reports whether a brace belongs to `${name}` and therefore to a word. */
function isVariable(text: string, at: number): boolean {
  return text.charAt(at) === "{" && text.charAt(at - 1) === "$";
}

function mistakeOf(text: string): Mistake | undefined {
  let [line, depth, hasWords, at] = [1, 0, false, 0];
  while (at < text.length) {
    const letter = text.charAt(at);
    if (letter === "\n") line++;
    if (letter === "#") {
      const next = text.indexOf("\n", at);
      at = next < 0 ? text.length : next;
    } else if (letter === ";" || letter === "{") {
      if (!hasWords) return { why: `unexpected "${letter}"`, line };
      hasWords = false;
      if (letter === "{") depth++;
      at++;
    } else if (letter === "}") {
      if (hasWords || depth === 0) return { why: `unexpected "}"`, line };
      depth--;
      at++;
    } else if (/\s/.test(letter)) at++;
    else {
      const { word, to } = wordAt(text, at);
      hasWords = true;
      line += word.split("\n").length - 1;
      at = to;
    }
  }
  if (hasWords) return { why: 'unexpected end of file, expecting ";" or "}"', line };
  return depth > 0 ? { why: 'unexpected end of file, expecting "}"', line } : undefined;
}

/** Returns the directives of a name at any depth, in the order of the text. */
export function directivesNamed(all: readonly Directive[], name: string): readonly Directive[] {
  const matches: Directive[] = [];
  const left = [...all].reverse();
  for (let next; (next = left.pop()); ) {
    if (next.name === name) matches.push(next);
    for (let at = (next.body?.length ?? 0) - 1; at >= 0; at--) {
      const inner = next.body?.[at];
      if (inner) left.push(inner);
    }
  }
  return matches;
}
