// The parser of Go's text/template.
import { TemplateError } from "./errors.ts";
import { lineOf, type Token, type TokenType, tokensOf } from "./lexer.ts";
import { constantOf } from "./constants.ts";
import type { Command, Node, Operand, Pipe, Template } from "./nodes.ts";

/** The maximum nesting of branches and parentheses. */
const maxDepth = 500;

/** Parses a text into templates: the file's own, and those that it defines. Throws TemplateError with Go's message. */
export function parseTemplates(name: string, text: string, hasFunction: (name: string) => boolean): Template[] {
  return new Parser(name, text, hasFunction).all();
}

type Ending = "end" | "else" | "end of file";

interface Body {
  readonly nodes: readonly Node[];
  readonly ending: Ending;
}

class Parser {
  readonly #name: string;
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #hasFunction: (name: string) => boolean;
  readonly #templates: Template[] = [];
  #at = 0;
  #depth = 0;
  #rangeDepth = 0;
  #variables: string[] = ["$"];

  constructor(name: string, source: string, hasFunction: (name: string) => boolean) {
    this.#name = name;
    this.#source = source;
    this.#hasFunction = hasFunction;
    this.#tokens = tokensOf(name, source);
  }

  all(): Template[] {
    const { nodes, ending } = this.#body();
    if (ending !== "end of file") this.#fail(`unexpected {{${ending}}}`);
    return [...this.#templates, this.#template(this.#name, nodes)];
  }

  #template(name: string, nodes: readonly Node[]): Template {
    return { name, file: this.#name, source: this.#source, nodes };
  }

  #fail(message: string, token?: Token): never {
    const { start } = token ?? this.#tokens[Math.max(0, this.#at - 1)] ?? { start: 0 };
    throw new TemplateError(`template: ${this.#name}:${lineOf(this.#source, start)}: ${message}`);
  }

  #peek(): Token {
    const token = this.#tokens[this.#at];
    return token ?? { type: "end of file", text: "", start: this.#source.length };
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #skipSpace(): Token {
    while (this.#peek().type === "space") this.#at++;
    return this.#peek();
  }

  #unexpected(token: Token, context: string): never {
    const word = token.type === "end of file" ? "EOF" : token.type === "right" ? `"}}"` : `<${token.text}>`;
    return this.#fail(
      `unexpected ${token.type === "end of file" || token.type === "right" ? word : word} in ${context}`,
      token,
    );
  }

  #enter(): void {
    if (++this.#depth > maxDepth) this.#fail("nested too deeply");
  }

  #body(): Body {
    const nodes: Node[] = [];
    for (;;) {
      const token = this.#next();
      if (token.type === "text") nodes.push({ form: "text", start: token.start, text: token.text });
      else if (token.type === "end of file") return { nodes, ending: "end of file" };
      else {
        const word = this.#skipSpace();
        if (word.type === "identifier" && (word.text === "end" || word.text === "else")) {
          this.#at++;
          if (word.text === "end") this.#right("end");
          return { nodes, ending: word.text };
        }
        this.#action(token.start, word, nodes);
      }
    }
  }

  #right(context: string): void {
    const token = this.#skipSpace();
    if (token.type !== "right") this.#unexpected(token, context);
    this.#at++;
  }

  #action(start: number, word: Token, nodes: Node[]): void {
    if (word.type === "identifier") {
      switch (word.text) {
        case "if":
        case "with":
        case "range":
          this.#at++;
          return void nodes.push(this.#branch(word.text, word.start));
        case "define":
          this.#at++;
          return this.#define();
        case "block":
          this.#at++;
          return void nodes.push(this.#block(word.start));
        case "template":
          this.#at++;
          return void nodes.push(this.#call(word.start));
        case "break":
        case "continue":
          this.#at++;
          if (this.#rangeDepth === 0) this.#fail(`{{${word.text}}} outside {{range}}`, word);
          this.#right(word.text);
          return void nodes.push({ form: word.text, start: word.start });
      }
    }
    const pipe = this.#pipeline("command", "right");
    nodes.push({ form: "action", start: pipe.start || start, pipe });
  }

  #branch(form: "if" | "with" | "range", start: number): Node {
    this.#enter();
    const scope = this.#variables.length;
    const pipe = this.#pipeline(form, "right");
    if (form === "range") this.#rangeDepth++;
    const { nodes: body, ending } = this.#body();
    if (form === "range") this.#rangeDepth--;
    let otherwise: readonly Node[] | undefined;
    if (ending === "else") otherwise = this.#else(form);
    else if (ending !== "end") this.#fail("unexpected EOF", this.#peek());
    this.#variables.length = scope;
    this.#depth--;
    return { form, start, pipe, body, otherwise };
  }

  #else(form: "if" | "with" | "range"): readonly Node[] {
    const token = this.#skipSpace();
    if (form !== "range" && token.type === "identifier" && token.text === form) {
      this.#at++;
      return [this.#branch(form, token.start)];
    }
    this.#right("else");
    const { nodes, ending } = this.#body();
    if (ending === "else") this.#fail("expected end; found {{else}}");
    if (ending !== "end") this.#fail("unexpected EOF", this.#peek());
    return nodes;
  }

  #quotedName(context: string): string {
    const token = this.#skipSpace();
    if (token.type !== "string" && token.type !== "raw") this.#unexpected(token, context);
    this.#at++;
    const { value } = constantOf(token) ?? {};
    return typeof value === "string" ? value : this.#fail(`invalid syntax in ${context}`, token);
  }

  /** Parses a body that sees no variable of the outside. */
  #ownBody(context: string): readonly Node[] {
    this.#enter();
    const [variables, rangeDepth] = [this.#variables, this.#rangeDepth];
    this.#variables = ["$"];
    this.#rangeDepth = 0;
    const { nodes, ending } = this.#body();
    if (ending !== "end")
      this.#fail(ending === "else" ? `unexpected {{else}} in ${context}` : "unexpected EOF", this.#peek());
    this.#variables = variables;
    this.#rangeDepth = rangeDepth;
    this.#depth--;
    return nodes;
  }

  #define(): void {
    const name = this.#quotedName("define clause");
    this.#right("define clause");
    this.#templates.push(this.#template(name, this.#ownBody("define clause")));
  }

  #block(start: number): Node {
    const name = this.#quotedName("block clause");
    const pipe = this.#pipeline("block clause", "right");
    this.#templates.push(this.#template(name, this.#ownBody("block clause")));
    return { form: "template", start, name, pipe };
  }

  #call(start: number): Node {
    const name = this.#quotedName("template clause");
    const isBare = this.#skipSpace().type === "right";
    if (isBare) this.#at++;
    return { form: "template", start, name, pipe: isBare ? undefined : this.#pipeline("template clause", "right") };
  }

  #pipeline(context: string, end: TokenType): Pipe {
    this.#enter();
    const { start } = this.#skipSpace();
    const { variables, assigns } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#skipSpace();
      if (token.type === end) {
        this.#at++;
        break;
      }
      commands.push(this.#command(context));
      const after = this.#skipSpace();
      if (after.type !== "pipe") continue;
      this.#at++;
      const next = this.#skipSpace().type;
      if (next === end || next === "pipe") this.#fail(`missing value for ${context}`);
    }
    if (commands.length === 0) this.#fail(`missing value for ${context}`);
    for (const [at, { first }] of commands.entries())
      if (at > 0 && (first.form === "constant" || first.form === "dot" || first.form === "nil"))
        this.#fail(`non executable command in pipeline stage ${at + 1}`);
    this.#depth--;
    const head = variables.length > 0 ? `${variables.join(", ")} ${assigns ? "=" : ":="} ` : "";
    return { start, text: head + commands.map(({ text }) => text).join(" | "), variables, assigns, commands };
  }

  #declarations(context: string): { variables: readonly string[]; assigns: boolean } {
    const from = this.#at;
    const variables: string[] = [];
    for (;;) {
      const token = this.#skipSpace();
      if (token.type !== "variable") break;
      this.#at++;
      variables.push(token.text);
      const after = this.#skipSpace();
      if (after.type === "declare" || after.type === "assign") {
        this.#at++;
        const assigns = after.type === "assign";
        if (assigns) for (const name of variables) this.#checkVariable(name, token);
        // A variable is visible only after its value, but a pipeline is short: Go adds it here too.
        else this.#variables.push(...variables);
        return { variables, assigns };
      }
      if (after.type !== "comma" || context !== "range" || variables.length > 1) break;
      this.#at++;
    }
    this.#at = from;
    return { variables: [], assigns: false };
  }

  #checkVariable(name: string, token: Token): void {
    if (!this.#variables.includes(name)) this.#fail(`undefined variable ${JSON.stringify(name)}`, token);
  }

  #command(context: string): Command {
    const { start } = this.#peek();
    const operands: Operand[] = [];
    for (;;) {
      const operand = this.#operand();
      if (!operand) {
        const token = this.#peek();
        if (operands.length === 0) {
          if (token.type === "pipe") this.#fail(`missing value for ${context}`, token);
          this.#unexpected(token, "operand");
        }
        break;
      }
      operands.push(operand);
      if (this.#peek().type !== "space") break;
      this.#skipSpace();
    }
    const token = this.#peek();
    if (token.type !== "right" && token.type !== "close" && token.type !== "pipe") this.#unexpected(token, "operand");
    const [first, ...rest] = operands;
    if (!first) return this.#fail("empty command");
    return { start, text: operands.map(({ text }) => text).join(" "), first, rest };
  }

  /** Parses a term and the fields that follow it without a space. Returns undefined if no term begins here. */
  #operand(): Operand | undefined {
    const term = this.#term();
    if (!term) return undefined;
    // Errors name the position of the first chained field, like upstream's.
    const { start } = this.#peek();
    const path: string[] = [];
    while (this.#peek().type === "field") path.push(this.#next().text.slice(1));
    if (path.length === 0) return term;
    const text = `${term.text}.${path.join(".")}`;
    if (term.form === "field" || term.form === "variable")
      return { ...term, start, text, path: [...term.path, ...path] };
    if (term.form === "constant" || term.form === "nil" || term.form === "dot")
      this.#fail(`unexpected . after term ${JSON.stringify(term.text)}`);
    return { form: "chain", start, text, of: term, path };
  }

  #term(): Operand | undefined {
    const token = this.#peek();
    const { start, text } = token;
    switch (token.type) {
      case "identifier":
        this.#at++;
        if (text === "true" || text === "false") return { form: "constant", start, text, value: text === "true" };
        if (text === "nil") return { form: "nil", start, text };
        if (!this.#hasFunction(text)) this.#fail(`function ${JSON.stringify(text)} not defined`, token);
        return { form: "function", start, text, name: text };
      case "dot":
        this.#at++;
        return { form: "dot", start, text };
      case "field":
        this.#at++;
        return { form: "field", start, text, path: [text.slice(1)] };
      case "variable":
        this.#at++;
        this.#checkVariable(text, token);
        return { form: "variable", start, text, name: text, path: [] };
      case "number":
      case "character":
      case "string":
      case "raw": {
        this.#at++;
        const constant = constantOf(token);
        return constant
          ? { form: "constant", start, text, ...constant }
          : this.#fail(`bad number syntax: ${JSON.stringify(text)}`, token);
      }
      case "open": {
        this.#at++;
        const pipe = this.#pipeline("parenthesized pipeline", "close");
        return { form: "pipe", start, text: `(${pipe.text})`, pipe };
      }
      default:
        return undefined;
    }
  }
}
