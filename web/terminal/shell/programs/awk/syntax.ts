// Reads awk's language: patterns with actions, expressions and the usual statements.

export type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "string" | "pattern" | "name"; readonly text: string }
  | { readonly kind: "field" | "not" | "minus" | "plus"; readonly of: Expression }
  | { readonly kind: "element"; readonly name: string; readonly index: readonly Expression[] }
  | { readonly kind: "in"; readonly name: string; readonly index: readonly Expression[] }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "choice"; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: "assign"; readonly operator: string; readonly target: Expression; readonly value: Expression }
  | { readonly kind: "step"; readonly by: 1 | -1; readonly isAfter: boolean; readonly target: Expression }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] };

export type Statement =
  | {
      readonly kind: "print" | "printf";
      readonly args: readonly Expression[];
      readonly target: { readonly appends: boolean; readonly name: Expression } | undefined;
    }
  | { readonly kind: "expression"; readonly of: Expression }
  | { readonly kind: "block"; readonly all: readonly Statement[] }
  | { readonly kind: "if"; readonly condition: Expression; readonly yes: Statement; readonly no: Statement | undefined }
  | { readonly kind: "while"; readonly condition: Expression; readonly body: Statement; readonly isAfter: boolean }
  | {
      readonly kind: "for";
      readonly start: Statement | undefined;
      readonly condition: Expression | undefined;
      readonly step: Statement | undefined;
      readonly body: Statement;
    }
  | { readonly kind: "each"; readonly name: string; readonly array: string; readonly body: Statement }
  | { readonly kind: "delete"; readonly name: string; readonly index: readonly Expression[] | undefined }
  | { readonly kind: "exit" | "return"; readonly value: Expression | undefined }
  | { readonly kind: "next" | "break" | "continue" };

export interface Rule {
  readonly when: "BEGIN" | "END" | "line";
  readonly from: Expression | undefined;
  readonly to: Expression | undefined;
  /** Undefined: the line is printed. */
  readonly action: Statement | undefined;
}

export interface Script {
  readonly rules: readonly Rule[];
  readonly functions: ReadonlyMap<string, { readonly parameters: readonly string[]; readonly body: Statement }>;
}

interface Token {
  readonly kind: "number" | "string" | "pattern" | "name" | "operator" | "newline" | "end";
  readonly text: string;
}

const maxDepth = 200;

export function parseAwk(text: string): Script {
  return new Parser(tokensOf(text)).script();
}

const form =
  /(?<blank>[ \t\r]+|\\\n|#[^\n]*)|(?<newline>\n)|(?<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)|(?<string>"(?:[^"\\\n]|\\[^])*")|(?<name>[A-Za-z_]\w*)|(?<operator>&&|\|\||\+\+|--|[-+*/%^]=|==|<=|>=|!=|!~|>>|[^])/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const last = tokens.at(-1);
    // A slash where no value stands before it begins an expression.
    const isPattern =
      text[at] === "/" &&
      !(last && (/^(?:number|string|name|pattern)$/.test(last.kind) || [")", "]", "$"].includes(last.text)));
    if (isPattern) {
      const found = /^\/((?:[^/\\\n[]|\\[^]|\[(?:[^\]\\]|\\[^])*\])*)\//.exec(text.slice(at));
      if (!found) throw new Error("syntax error: unterminated regexp");
      tokens.push({ kind: "pattern", text: (found[1] ?? "").replaceAll("\\/", "/") });
      at += found[0].length;
      continue;
    }
    form.lastIndex = at;
    const found = form.exec(text);
    at += found?.[0].length ?? 1;
    for (const [kind, value] of Object.entries(found?.groups ?? {})) {
      if (value !== undefined && kind !== "blank") tokens.push({ kind: kind as Token["kind"], text: value });
    }
  }
  tokens.push({ kind: "end", text: "end of file" });
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  /** Within `print a > b` a `>` is no comparison. */
  #isPrinting = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", text: "end of file" };
  }

  #fail(): never {
    throw new Error(`syntax error at or near ${this.#token.kind === "newline" ? "end of line" : this.#token.text}`);
  }

  #take(...texts: readonly string[]): string | undefined {
    const { kind, text } = this.#token;
    if ((kind !== "operator" && kind !== "name") || !texts.includes(text)) return undefined;
    this.#at++;
    return text;
  }

  #expect(text: string): void {
    if (this.#take(text) === undefined) this.#fail();
  }

  #name(): string {
    if (this.#token.kind !== "name") this.#fail();
    return this.#tokens[this.#at++]?.text ?? "";
  }

  #skipLines(): void {
    while (this.#token.kind === "newline" || (this.#token.kind === "operator" && this.#token.text === ";")) this.#at++;
  }

  script(): Script {
    const rules: Rule[] = [];
    const functions = new Map<string, { parameters: string[]; body: Statement }>();
    for (this.#skipLines(); this.#token.kind !== "end"; this.#skipLines()) {
      if (this.#take("function", "func")) {
        const name = this.#name();
        this.#expect("(");
        const parameters: string[] = [];
        while (!this.#take(")")) {
          parameters.push(this.#name());
          this.#take(",");
        }
        this.#skipLines();
        functions.set(name, { parameters, body: this.#block() });
      } else rules.push(this.#rule());
    }
    return { rules, functions };
  }

  #rule(): Rule {
    const place = this.#take("BEGIN", "END");
    if (place)
      return { when: place === "BEGIN" ? "BEGIN" : "END", from: undefined, to: undefined, action: this.#block() };
    const isAction = this.#token.text === "{" && this.#token.kind === "operator";
    const from = isAction ? undefined : this.#expression();
    const to = from && this.#take(",") ? this.#expression() : undefined;
    const hasAction = this.#token.kind === "operator" && this.#token.text === "{";
    return { when: "line", from, to, action: hasAction ? this.#block() : undefined };
  }

  #block(): Statement {
    this.#expect("{");
    const all: Statement[] = [];
    for (this.#skipLines(); !this.#take("}"); this.#skipLines()) {
      if (this.#token.kind === "end") this.#fail();
      all.push(this.#statement());
    }
    return { kind: "block", all };
  }

  #statement(): Statement {
    if (++this.#depth > maxDepth) throw new Error("syntax error: nested too deeply");
    const found = this.#anyStatement();
    this.#depth--;
    return found;
  }

  #anyStatement(): Statement {
    if (this.#token.kind === "operator" && this.#token.text === "{") return this.#block();
    if (this.#take("if")) {
      this.#expect("(");
      const condition = this.#expression();
      this.#expect(")");
      const yes = this.#body();
      const before = this.#at;
      this.#skipLines();
      if (this.#take("else")) return { kind: "if", condition, yes, no: this.#body() };
      this.#at = before;
      return { kind: "if", condition, yes, no: undefined };
    }
    if (this.#take("while")) {
      this.#expect("(");
      const condition = this.#expression();
      this.#expect(")");
      return { kind: "while", condition, body: this.#body(), isAfter: false };
    }
    if (this.#take("do")) {
      const body = this.#body();
      this.#skipLines();
      this.#expect("while");
      this.#expect("(");
      const condition = this.#expression();
      this.#expect(")");
      return { kind: "while", condition, body, isAfter: true };
    }
    if (this.#take("for")) return this.#for();
    return this.#simple();
  }

  #body(): Statement {
    while (this.#token.kind === "newline") this.#at++;
    return this.#take(";") ? { kind: "block", all: [] } : this.#statement();
  }

  #for(): Statement {
    this.#expect("(");
    const [name, word, array, end] = this.#tokens.slice(this.#at, this.#at + 4);
    if (name?.kind === "name" && word?.text === "in" && array?.kind === "name" && end?.text === ")") {
      this.#at += 4;
      return { kind: "each", name: name.text, array: array.text, body: this.#body() };
    }
    const start = this.#token.text === ";" ? undefined : this.#simple();
    this.#expect(";");
    const condition = this.#token.text === ";" ? undefined : this.#expression();
    this.#expect(";");
    const step = this.#token.text === ")" ? undefined : this.#simple();
    this.#expect(")");
    return { kind: "for", start, condition, step, body: this.#body() };
  }

  #simple(): Statement {
    const word = this.#take("print", "printf", "next", "break", "continue", "exit", "return", "delete");
    const isOver = () =>
      this.#token.kind === "newline" || this.#token.kind === "end" || [";", "}"].includes(this.#token.text);
    switch (word) {
      case "print":
      case "printf": {
        this.#isPrinting = true;
        const args = isOver() || [">", ">>", "|"].includes(this.#token.text) ? [] : this.#list();
        this.#isPrinting = false;
        const operator = this.#take(">", ">>");
        const target = operator ? { appends: operator === ">>", name: this.#level(concatenation) } : undefined;
        if (this.#token.text === "|") throw new Error("pipes to commands are not supported");
        return { kind: word, args, target };
      }
      case "next":
      case "break":
      case "continue":
        return { kind: word };
      case "exit":
      case "return":
        return { kind: word, value: isOver() ? undefined : this.#expression() };
      case "delete": {
        const name = this.#name();
        return { kind: "delete", name, index: this.#take("[") ? this.#index() : undefined };
      }
      default:
        return { kind: "expression", of: this.#expression() };
    }
  }

  #index(): Expression[] {
    const found = this.#list();
    this.#expect("]");
    return found;
  }

  #list(): Expression[] {
    const found = [this.#expression()];
    while (this.#take(",")) {
      while (this.#token.kind === "newline") this.#at++;
      found.push(this.#expression());
    }
    // `print (a, b)`: the brackets hold the list.
    const [only] = found;
    return found.length === 1 && only?.kind === "call" && only.name === "(list)" ? [...only.args] : found;
  }

  #expression(): Expression {
    if (++this.#depth > maxDepth) throw new Error("syntax error: nested too deeply");
    const left = this.#choice();
    const operator = this.#take("=", "+=", "-=", "*=", "/=", "%=", "^=");
    const found: Expression = operator
      ? { kind: "assign", operator: operator.slice(0, -1), target: this.#assignable(left), value: this.#expression() }
      : left;
    this.#depth--;
    return found;
  }

  #assignable(found: Expression): Expression {
    if (found.kind !== "name" && found.kind !== "field" && found.kind !== "element") this.#fail();
    return found;
  }

  #choice(): Expression {
    const condition = this.#level(0);
    if (!this.#take("?")) return condition;
    const yes = this.#expression();
    this.#expect(":");
    return { kind: "choice", condition, yes, no: this.#expression() };
  }

  #level(level: number): Expression {
    const operators = levels[level];
    if (!operators) return this.#unary();
    if (level === concatenation) return this.#concatenated(level);
    let left = this.#level(level + 1);
    for (;;) {
      if (operators.includes("in") && this.#take("in")) {
        const index = left.kind === "call" && left.name === "(list)" ? left.args : [left];
        left = { kind: "in", name: this.#name(), index };
        continue;
      }
      if (this.#isPrinting && this.#token.text === ">") return left;
      const operator = this.#take(...operators.filter((one) => one !== "in"));
      if (!operator) return left;
      if (operator === "&&" || operator === "||") while (this.#token.kind === "newline") this.#at++;
      left = { kind: "binary", operator, left, right: this.#level(level + 1) };
    }
  }

  #concatenated(level: number): Expression {
    let left = this.#level(level + 1);
    const begins = () => {
      const { kind, text } = this.#token;
      if (kind === "name") return text !== "in";
      return (
        kind === "number" ||
        kind === "string" ||
        (kind === "operator" && ["$", "!", "(", "-", "+", "++", "--"].includes(text))
      );
    };
    while (begins()) left = { kind: "binary", operator: " ", left, right: this.#level(level + 1) };
    return left;
  }

  #unary(): Expression {
    if (this.#take("!")) return { kind: "not", of: this.#unary() };
    if (this.#take("-")) return { kind: "minus", of: this.#unary() };
    if (this.#take("+")) return { kind: "plus", of: this.#unary() };
    const left = this.#postfix();
    return this.#take("^") ? { kind: "binary", operator: "^", left, right: this.#unary() } : left;
  }

  #postfix(): Expression {
    const step = this.#take("++", "--");
    if (step)
      return { kind: "step", by: step === "++" ? 1 : -1, isAfter: false, target: this.#assignable(this.#primary()) };
    const found = this.#primary();
    if (found.kind !== "name" && found.kind !== "field" && found.kind !== "element") return found;
    const after = this.#take("++", "--");
    return after ? { kind: "step", by: after === "++" ? 1 : -1, isAfter: true, target: found } : found;
  }

  #primary(): Expression {
    const { kind, text } = this.#token;
    this.#at++;
    switch (kind) {
      case "number":
        return { kind: "number", value: Number(text) };
      case "string":
        return { kind: "string", text: unquoted(text) };
      case "pattern":
        return { kind: "pattern", text };
      case "name":
        return this.#named(text);
      default:
        break;
    }
    if (text === "$") return { kind: "field", of: this.#primaryOrStep() };
    if (text !== "(") {
      this.#at--;
      this.#fail();
    }
    const isPrinting = this.#isPrinting;
    this.#isPrinting = false;
    const all = [this.#expression()];
    while (this.#take(",")) all.push(this.#expression());
    this.#isPrinting = isPrinting;
    this.#expect(")");
    const [only] = all;
    return all.length === 1 && only ? only : { kind: "call", name: "(list)", args: all };
  }

  #primaryOrStep(): Expression {
    if (this.#take("-")) return { kind: "minus", of: this.#primary() };
    const step = this.#take("++", "--");
    return step
      ? { kind: "step", by: step === "++" ? 1 : -1, isAfter: false, target: this.#primary() }
      : this.#primary();
  }

  #named(name: string): Expression {
    if (this.#take("[")) return { kind: "element", name, index: this.#index() };
    const isCall =
      this.#token.text === "(" && this.#token.kind === "operator" && (builtins.has(name) || this.#isFunction(name));
    if (!isCall) return name === "length" ? { kind: "call", name, args: [] } : { kind: "name", text: name };
    this.#at++;
    const isPrinting = this.#isPrinting;
    this.#isPrinting = false;
    const args: Expression[] = [];
    if (!this.#take(")")) {
      do args.push(this.#expression());
      while (this.#take(","));
      this.#expect(")");
    }
    this.#isPrinting = isPrinting;
    return { kind: "call", name, args };
  }

  #isFunction(name: string): boolean {
    return this.#tokens.some(
      (one, at) => (one.text === "function" || one.text === "func") && this.#tokens[at + 1]?.text === name,
    );
  }
}

const levels = [
  ["||"],
  ["&&"],
  ["in"],
  ["~", "!~"],
  ["<", "<=", ">", ">=", "==", "!="],
  [" "],
  ["+", "-"],
  ["*", "/", "%"],
];
const concatenation = 5;

export const builtins: ReadonlySet<string> = new Set(
  "length substr index split sub gsub match sprintf toupper tolower int sqrt rand srand exp log sin cos strftime systime".split(
    " ",
  ),
);

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  '"': '"',
  "\\": "\\",
  "/": "/",
};

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\([^])/g, (whole, letter: string) => escapes[letter] ?? whole);
}
