// The parser of Go's text/template: actions in double braces, nested by range, if, with and end.

export type Term =
  | { readonly form: "dot"; readonly path: readonly string[] }
  | { readonly form: "variable"; readonly name: string; readonly path: readonly string[] }
  | { readonly form: "constant"; readonly value: unknown }
  | { readonly form: "function"; readonly name: string }
  | { readonly form: "pipe"; readonly pipe: Pipe; readonly path: readonly string[] };

export interface Command {
  readonly terms: readonly Term[];
}

export interface Pipe {
  /** The declared variables: `$a` in `$a := .b`; a range may declare two. */
  readonly variables: readonly string[];
  readonly commands: readonly Command[];
}

export type Piece =
  | { readonly form: "text"; readonly text: string }
  | { readonly form: "print"; readonly pipe: Pipe }
  | {
      readonly form: "range" | "if" | "with";
      readonly pipe: Pipe;
      readonly body: Piece[];
      readonly otherwise: Piece[];
    };

interface Open {
  readonly piece: Extract<Piece, { body: Piece[] }> | undefined;
  into: Piece[];
  /** Reports whether this is an `else if`, which shares the `end` of its `if`. */
  readonly isChained: boolean;
}

/** Throws an Error with upstream's message. */
export function parsePieces(text: string): Piece[] {
  const all: Piece[] = [];
  const stack: Open[] = [{ piece: undefined, into: all, isChained: false }];
  for (const { isText, body } of partsOf(text)) {
    const top = stack.at(-1);
    if (!top) break;
    if (isText) top.into.push({ form: "text", text: body });
    else if (!/^\/\*[\s\S]*\*\/$/.test(body)) action(body, stack, top);
  }
  if (stack.length > 1) throw new Error("unexpected EOF");
  return all;
}

function action(body: string, stack: Open[], top: Open): void {
  const [word = ""] = /^\w*/.exec(body) ?? [];
  const rest = body.slice(word.length).trim();
  if (word === "range" || word === "if" || word === "with") open(word, rest, stack, top, false);
  else if (word === "else") {
    if (!top.piece) throw new Error("unexpected {{else}}");
    top.into = top.piece.otherwise;
    const [inner = ""] = /^(if|with)\b/.exec(rest) ?? [];
    if (inner === "if" || inner === "with") open(inner, rest.slice(inner.length).trim(), stack, top, true);
  } else if (word === "end") {
    if (stack.length === 1) throw new Error("unexpected {{end}}");
    while (stack.pop()?.isChained);
  } else if (body !== "") top.into.push({ form: "print", pipe: parsePipe(body) });
}

function open(form: "range" | "if" | "with", rest: string, stack: Open[], top: Open, isChained: boolean): void {
  if (!rest) throw new Error(`missing value for ${form}`);
  const piece = { form, pipe: parsePipe(rest), body: [], otherwise: [] };
  top.into.push(piece);
  stack.push({ piece, into: piece.body, isChained });
}

function* partsOf(text: string): Generator<{ isText: boolean; body: string }> {
  let at = 0;
  let trims = false;
  while (at < text.length) {
    const start = text.indexOf("{{", at);
    const before = text.slice(at, start < 0 ? undefined : start);
    const isTrimmed = start >= 0 && /^\{\{-\s/.test(text.slice(start, start + 4));
    const left = trims ? before.trimStart() : before;
    const leading = isTrimmed ? left.trimEnd() : left;
    if (leading) yield { isText: true, body: leading };
    if (start < 0) return;
    const end = closing(text, start + 2);
    let body = text.slice(start + (isTrimmed ? 3 : 2), end);
    trims = /\s-$/.test(body);
    if (trims) body = body.slice(0, -1);
    yield { isText: false, body: body.trim() };
    at = end + 2;
  }
}

/** Returns the index of the action's closing braces, ignoring those inside quotes. */
function closing(text: string, from: number): number {
  const pattern = /"(?:[^"\\]|\\.)*"|`[^`]*`|\}\}/g;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) if (match[0] === "}}") return match.index;
  throw new Error("unclosed action");
}

function parsePipe(text: string): Pipe {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|:=|[()|,=]|[^\s()|,=:"'`]+|:/g) ?? [];
  const cursor = { tokens, at: 0 };
  const variables: string[] = [];
  const assigns = tokens.findIndex((token) => token === ":=" || token === "=");
  if (assigns > 0) {
    variables.push(...tokens.slice(0, assigns).filter((token) => token.startsWith("$")));
    cursor.at = assigns + 1;
  }
  const commands = commandsOf(cursor);
  if (cursor.at < tokens.length) throw new Error(`unexpected ${JSON.stringify(tokens[cursor.at])} in operand`);
  if (commands.every(({ terms }) => terms.length === 0)) throw new Error("missing value for command");
  return { variables, commands };
}

interface Cursor {
  readonly tokens: readonly string[];
  at: number;
}

function commandsOf(cursor: Cursor): Command[] {
  const commands: Command[] = [];
  let terms: Term[] = [];
  for (;;) {
    const token = cursor.tokens[cursor.at];
    if (token === undefined || token === ")") break;
    cursor.at += 1;
    if (token === "|") {
      commands.push({ terms });
      terms = [];
    } else if (token === "(") {
      const inner = commandsOf(cursor);
      if (cursor.tokens[cursor.at] !== ")") throw new Error("unclosed left paren");
      cursor.at += 1;
      const next = cursor.tokens[cursor.at] ?? "";
      const path = /^\.\w/.test(next) ? fieldsOf(next) : [];
      if (path.length) cursor.at += 1;
      terms.push({ form: "pipe", pipe: { variables: [], commands: inner }, path });
    } else terms.push(termOf(token));
  }
  return [...commands, { terms }];
}

function termOf(token: string): Term {
  if (token.startsWith("$")) {
    const [name = "$", ...path] = token.split(".");
    return { form: "variable", name, path };
  }
  if (token.startsWith(".")) return { form: "dot", path: fieldsOf(token) };
  if (token.startsWith("`")) return { form: "constant", value: token.slice(1, -1) };
  if (token.startsWith('"')) return { form: "constant", value: JSON.parse(token) as string };
  if (token.startsWith("'")) return { form: "constant", value: token.codePointAt(1) ?? 0 };
  if (/^[-+]?\d/.test(token)) return { form: "constant", value: Number(token) };
  if (token === "true" || token === "false") return { form: "constant", value: token === "true" };
  if (token === "nil") return { form: "constant", value: null };
  if (/^\w+$/.test(token)) return { form: "function", name: token };
  throw new Error(`unexpected ${JSON.stringify(token)} in command`);
}

function fieldsOf(token: string): string[] {
  return token.split(".").filter((field) => field !== "");
}
