// Reads jq's language: filters, operators, functions, construction of objects and strings.

export type Node =
  | { readonly kind: "identity" | "recurse" }
  | { readonly kind: "index"; readonly of: Node; readonly at: Node }
  | { readonly kind: "slice"; readonly of: Node; readonly from: Node | undefined; readonly to: Node | undefined }
  | { readonly kind: "iterate" | "try" | "negative"; readonly of: Node; readonly otherwise?: Node | undefined }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "string"; readonly parts: readonly (string | Node)[]; readonly format: string }
  | { readonly kind: "format"; readonly name: string }
  | { readonly kind: "array"; readonly of: Node | undefined }
  | { readonly kind: "object"; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: "if"; readonly arms: readonly (readonly [Node, Node])[]; readonly otherwise: Node | undefined }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "bind"; readonly source: Node; readonly names: readonly Binding[]; readonly body: Node }
  | {
      readonly kind: "fold";
      readonly isForeach: boolean;
      readonly source: Node;
      readonly name: string;
      readonly start: Node;
      readonly update: Node;
      readonly shown: Node | undefined;
    }
  | {
      readonly kind: "define";
      readonly name: string;
      readonly parameters: readonly string[];
      readonly body: Node;
      readonly rest: Node;
    };

/** `$x`, or what `[$a, $b]` and `{a: $x}` take apart: the variable, and where in the value it is. */
export interface Binding {
  readonly name: string;
  readonly path: readonly (string | number)[];
}

const tokenForm =
  /\s+|#[^\n]*|"(?:[^"\\]|\\[^])*"|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\.|\?\/\/|\/\/=|\|=|[-+*/%]=|==|!=|<=|>=|\/\/|@[a-zA-Z0-9]+|\$[A-Za-z_]\w*|\.[A-Za-z_]\w*|[A-Za-z_]\w*(?:::\w+)*|[^]/gy;
const maxDepth = 200;

export function parseFilter(text: string): Node {
  const parser = new Parser(tokensOf(text));
  const found = parser.pipe();
  if (parser.peek() !== undefined) parser.fail();
  return found;
}

/** Strings with what is within their `\( )` are one token. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      const end = endOfString(text, at);
      tokens.push(text.slice(at, end));
      at = end;
      continue;
    }
    tokenForm.lastIndex = at;
    const found = tokenForm.exec(text)?.[0] ?? "";
    if (!/^\s|^#/.test(found)) tokens.push(found);
    at += found.length || 1;
  }
  return tokens;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] !== "\\") continue;
    at++;
    if (text[at] !== "(") continue;
    for (let depth = 1; depth > 0; ) {
      at++;
      if (at >= text.length) break;
      if (text[at] === '"') at = endOfString(text, at) - 1;
      else if (text[at] === "(") depth++;
      else if (text[at] === ")") depth--;
    }
  }
  throw new Error("syntax error, unterminated string");
}

const levels: readonly { readonly operators: readonly string[]; readonly isRight?: boolean }[] = [
  { operators: ["//"], isRight: true },
  { operators: ["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="] },
  { operators: ["or"] },
  { operators: ["and"] },
  { operators: ["==", "!=", "<", "<=", ">", ">="] },
  { operators: ["+", "-"] },
  { operators: ["*", "/", "%"] },
];

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  fail(): never {
    const token = this.peek();
    throw new Error(token === undefined ? "syntax error, unexpected end of file" : `syntax error, unexpected ${token}`);
  }

  #take(...expected: readonly string[]): string | undefined {
    const token = this.peek();
    if (token === undefined || !expected.includes(token)) return undefined;
    this.#at++;
    return token;
  }

  #expect(expected: string): void {
    if (this.#take(expected) === undefined) this.fail();
  }

  #next(form: RegExp): string {
    const token = this.peek();
    if (token === undefined || !form.test(token)) this.fail();
    this.#at++;
    return token;
  }

  pipe(): Node {
    if (++this.#depth > maxDepth) throw new Error("syntax error, nested too deeply");
    const found = this.#piped();
    this.#depth--;
    return found;
  }

  #piped(): Node {
    if (this.#take("def")) {
      const name = this.#next(/^[a-z_]\w*$/i);
      const parameters: string[] = [];
      if (this.#take("(")) {
        do parameters.push(this.#next(/^\$?[a-z_]\w*$/i));
        while (this.#take(";"));
        this.#expect(")");
      }
      this.#expect(":");
      const body = this.pipe();
      this.#expect(";");
      return { kind: "define", name, parameters, body, rest: this.pipe() };
    }
    const left = this.#comma();
    if (this.#take("as")) {
      const names = this.#pattern([]);
      this.#expect("|");
      return { kind: "bind", source: left, names, body: this.pipe() };
    }
    return this.#take("|") ? { kind: "binary", operator: "|", left, right: this.pipe() } : left;
  }

  #pattern(path: readonly (string | number)[]): Binding[] {
    const found: Binding[] = [];
    if (this.#take("[")) {
      let at = 0;
      do found.push(...this.#pattern([...path, at++]));
      while (this.#take(","));
      this.#expect("]");
      return found;
    }
    if (this.#take("{")) {
      do {
        const key = this.#next(/^(?:\$?[A-Za-z_]\w*|"(?:[^"\\]|\\[^])*")$/);
        const name = key.startsWith('"') ? (JSON.parse(key) as string) : key.replace("$", "");
        if (key.startsWith("$")) found.push({ name: key, path: [...path, name] });
        if (this.#take(":")) found.push(...this.#pattern([...path, name]));
      } while (this.#take(","));
      this.#expect("}");
      return found;
    }
    return [{ name: this.#next(/^\$[A-Za-z_]/), path }];
  }

  #comma(): Node {
    let left = this.#level(0);
    while (this.#take(",")) left = { kind: "binary", operator: ",", left, right: this.#level(0) };
    return left;
  }

  #level(level: number): Node {
    const { operators, isRight } = levels[level] ?? { operators: [] };
    if (operators.length === 0) return this.#postfix();
    let left = this.#level(level + 1);
    for (let operator; (operator = this.#take(...operators)); ) {
      left = { kind: "binary", operator, left, right: this.#level(isRight ? level : level + 1) };
    }
    return left;
  }

  #postfix(): Node {
    let found = this.#primary();
    for (;;) {
      const token = this.peek() ?? "";
      if (this.#take("?")) found = { kind: "try", of: found };
      else if (token === "[") found = this.#bracket(found);
      else if (/^\.[A-Za-z_]/.test(token)) found = this.#field(found);
      else if (token === "." && /^["[]/.test(this.#tokens[this.#at + 1] ?? "")) {
        this.#at++;
        if (this.peek() !== "[") found = { kind: "index", of: found, at: this.#string("text") };
      } else return found;
    }
  }

  #field(of: Node): Node {
    return { kind: "index", of, at: { kind: "literal", value: this.#next(/^\./).slice(1) } };
  }

  #bracket(of: Node): Node {
    this.#expect("[");
    if (this.#take("]")) return { kind: "iterate", of };
    const from = this.peek() === ":" ? undefined : this.pipe();
    if (this.#take(":")) {
      const to = this.peek() === "]" ? undefined : this.pipe();
      this.#expect("]");
      return { kind: "slice", of, from, to };
    }
    this.#expect("]");
    return { kind: "index", of, at: from ?? this.fail() };
  }

  #primary(): Node {
    const token = this.peek() ?? this.fail();
    if (token.startsWith('"')) return this.#string("text");
    if (/^\.[A-Za-z_]/.test(token)) return this.#field({ kind: "identity" });
    if (/^\d/.test(token)) return { kind: "literal", value: Number(this.#next(/^/)) };
    if (/^\$/.test(token)) return { kind: "variable", name: this.#next(/^/) };
    if (/^@/.test(token)) {
      this.#at++;
      return this.peek()?.startsWith('"') ? this.#string(token.slice(1)) : { kind: "format", name: token.slice(1) };
    }
    if (this.#take("..")) return { kind: "recurse" };
    if (this.#take("-")) return { kind: "negative", of: this.#postfix() };
    if (this.#take("(")) {
      const found = this.pipe();
      this.#expect(")");
      return found;
    }
    if (this.#take("[")) {
      if (this.#take("]")) return { kind: "array", of: undefined };
      const of = this.pipe();
      this.#expect("]");
      return { kind: "array", of };
    }
    if (this.#take("{")) return this.#object();
    if (this.#take(".")) {
      return this.peek()?.startsWith('"')
        ? { kind: "index", of: { kind: "identity" }, at: this.#string("text") }
        : { kind: "identity" };
    }
    if (this.#take("if")) return this.#if();
    if (this.#take("try")) {
      const of = this.#postfix();
      return { kind: "try", of, otherwise: this.#take("catch") ? this.#postfix() : undefined };
    }
    if (this.#take("reduce")) return this.#fold(false);
    if (this.#take("foreach")) return this.#fold(true);
    return this.#call();
  }

  #call(): Node {
    const name = this.#next(/^[A-Za-z_]/);
    if (name === "null" || name === "true" || name === "false")
      return { kind: "literal", value: JSON.parse(name) as unknown };
    const args: Node[] = [];
    if (this.#take("(")) {
      do args.push(this.pipe());
      while (this.#take(";"));
      this.#expect(")");
    }
    return { kind: "call", name, args };
  }

  #if(): Node {
    const arms: [Node, Node][] = [];
    do {
      const condition = this.pipe();
      this.#expect("then");
      arms.push([condition, this.pipe()]);
    } while (this.#take("elif"));
    const otherwise = this.#take("else") ? this.pipe() : undefined;
    this.#expect("end");
    return { kind: "if", arms, otherwise };
  }

  #fold(isForeach: boolean): Node {
    const source = this.#postfix();
    this.#expect("as");
    const name = this.#next(/^\$/);
    this.#expect("(");
    const start = this.pipe();
    this.#expect(";");
    const update = this.pipe();
    const shown = this.#take(";") ? this.pipe() : undefined;
    this.#expect(")");
    return { kind: "fold", isForeach, source, name, start, update, shown };
  }

  #object(): Node {
    const entries: [Node, Node][] = [];
    while (!this.#take("}")) {
      const token = this.peek() ?? this.fail();
      let key: Node;
      let plain: Node | undefined;
      if (token === "(") {
        key = this.#primary();
      } else if (token.startsWith('"')) {
        key = this.#string("text");
        plain = { kind: "index", of: { kind: "identity" }, at: key };
      } else if (token.startsWith("$")) {
        this.#at++;
        key = { kind: "literal", value: token.slice(1) };
        plain = { kind: "variable", name: token };
      } else {
        key = { kind: "literal", value: this.#next(/^(?:[A-Za-z_]|\d)/) };
        plain = { kind: "index", of: { kind: "identity" }, at: key };
      }
      if (this.#take(":")) entries.push([key, this.#objectValue()]);
      else entries.push([key, plain ?? this.fail()]);
      if (!this.#take(",") && this.peek() !== "}") this.fail();
    }
    return { kind: "object", entries };
  }

  /** Without commas; pipes are allowed as jq 1.7 does. */
  #objectValue(): Node {
    const left = this.#level(0);
    return this.#take("|") ? { kind: "binary", operator: "|", left, right: this.#objectValue() } : left;
  }

  #string(format: string): Node {
    const body = this.#next(/^"/).slice(1, -1);
    const parts: (string | Node)[] = [];
    let plain = "";
    for (let at = 0; at < body.length; at++) {
      if (!body.startsWith("\\(", at)) {
        plain += body.charAt(at);
        if (body[at] === "\\") plain += body.charAt(++at);
        continue;
      }
      const end = closing(body, at + 2);
      parts.push(JSON.parse(`"${plain}"`) as string, parseFilter(body.slice(at + 2, end)));
      plain = "";
      at = end;
    }
    parts.push(JSON.parse(`"${plain.replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`) as string);
    const [only] = parts;
    return parts.length === 1 && typeof only === "string"
      ? { kind: "literal", value: only }
      : { kind: "string", parts, format };
  }
}

function closing(text: string, from: number): number {
  for (let at = from, depth = 1; at < text.length; at++) {
    if (text[at] === '"') at = endOfString(text, at) - 1;
    else if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  throw new Error("syntax error, unterminated string");
}
