// The parser of JSONPath templates: text, expressions in braces, ranges, filters, unions and slices.

export type Operand = readonly Node[];

export type Node =
  | { readonly form: "text"; readonly text: string }
  | { readonly form: "value"; readonly value: unknown }
  | { readonly form: "root" }
  | { readonly form: "field"; readonly name: string }
  | { readonly form: "all" }
  | { readonly form: "deep" }
  | {
      readonly form: "slice";
      readonly from?: number;
      readonly to?: number;
      readonly by?: number;
      readonly isSingle: boolean;
    }
  | { readonly form: "union"; readonly of: readonly Operand[] }
  | { readonly form: "filter"; readonly left: Operand; readonly operator: string; readonly right?: Operand }
  | { readonly form: "steps"; readonly steps: readonly Node[] }
  | { readonly form: "range"; readonly over: readonly Node[]; readonly body: readonly Node[] };

/** Throws an Error with upstream's message. */
export function parseTemplate(text: string): Node[] {
  const stack: { over: readonly Node[]; body: Node[] }[] = [{ over: [], body: [] }];
  const top = () => stack.at(-1)?.body ?? [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    if (open !== at) top().push({ form: "text", text: text.slice(at, open < 0 ? undefined : open) });
    if (open < 0) break;
    const reader = new Reader(text, open + 1);
    const nodes = reader.expressions();
    at = reader.at;
    const [first] = nodes;
    if (reader.word === "range") stack.push({ over: nodes, body: [] });
    else if (reader.word === "end") {
      const done = stack.length > 1 ? stack.pop() : undefined;
      if (!done) throw new Error("not in range, nothing to end");
      top().push({ form: "range", over: done.over, body: done.body });
    } else if (first) top().push({ form: "steps", steps: nodes });
  }
  if (stack.length > 1) throw new Error("unterminated range");
  return top();
}

class Reader {
  readonly #text: string;
  at: number;
  word = "";

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** Parses the expressions up to the closing brace. */
  expressions(): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      this.#skipSpaces();
      if (this.#take("}")) return nodes;
      if (this.at >= this.#text.length) throw new Error("unclosed action");
      this.#one(nodes);
    }
  }

  #one(nodes: Node[]): void {
    const character = this.#text[this.at] ?? "";
    if (character === "$" || character === "@") {
      this.at += 1;
      if (character === "$") nodes.push({ form: "root" });
    } else if (character === "[") nodes.push(...this.#brackets());
    else if (character === '"' || character === "'") nodes.push({ form: "text", text: this.#quoted(character) });
    else if (character === ".") this.#dotted(nodes);
    else if (/[-+\d]/.test(character))
      nodes.push({ form: "value", value: Number(this.#match(/[-+]?\d+(\.\d+)?/y) || "0") });
    else if (/[\p{L}\d_]/u.test(character)) this.#identifier(nodes);
    else
      throw new Error(
        `unrecognized character in action: U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")} '${character}'`,
      );
  }

  #dotted(nodes: Node[]): void {
    this.at += 1;
    if (this.#take(".")) {
      nodes.push({ form: "deep" });
      if (this.#text[this.at] === "[") return;
    }
    if (this.#take("*")) return void nodes.push({ form: "all" });
    if (this.#text[this.at] === "[") return;
    const name = this.#match(/(?:\\.|[^\s.[\]|{}()<>=!,$@:?+"'`&\\])+/y);
    if (name) nodes.push({ form: "field", name: name.replaceAll(/\\(.)/g, "$1") });
  }

  #identifier(nodes: Node[]): void {
    const word = this.#match(/[\p{L}\d_]+/uy);
    if (word === "range" || word === "end") this.word = word;
    else if (word === "true" || word === "false") nodes.push({ form: "value", value: word === "true" });
    else throw new Error(`unrecognized identifier ${word}`);
  }

  #brackets(): Node[] {
    this.at += 1;
    if (this.#take("?")) return [this.#filter()];
    const inner = this.#upToBracket();
    if (inner === "*") return [{ form: "all" }];
    const quotedNames = /^\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*$/;
    if (quotedNames.test(inner)) return [{ form: "field", name: unquoted(inner.trim()) }];
    const members = splitUnion(inner);
    if (members.length > 1) return [{ form: "union", of: members.map((member) => this.#unionPart(member)) }];
    return [sliceOf(inner)];
  }

  #unionPart(member: string): Node[] {
    const text = member.trim();
    if (/^['"]/.test(text)) return [{ form: "field", name: unquoted(text) }];
    if (/^[-+]?\d+$|:/.test(text)) return [sliceOf(text)];
    return new Reader(`${text}}`, 0).expressions();
  }

  #upToBracket(): string {
    const inner = this.#match(/(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]'"])*/y);
    if (!this.#take("]")) throw new Error("unterminated array");
    return inner;
  }

  #filter(): Node {
    if (!this.#take("(")) throw new Error(`invalid array index ?`);
    const left = this.#operand();
    const operator = this.#match(/\s*(?:==|!=|<=|>=|<|>)\s*/y).trim();
    const right = operator ? this.#operand() : undefined;
    this.#skipSpaces();
    if (!this.#take(")")) throw new Error("unterminated filter");
    if (!this.#take("]")) throw new Error("unclosed array expect ]");
    return { form: "filter", left, operator: operator || "exists", ...(right ? { right } : {}) };
  }

  #operand(): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      if (nodes.length === 0) this.#skipSpaces();
      const character = this.#text[this.at] ?? "";
      if (character === "" || /[\s)=!<>]/.test(character)) return nodes;
      this.#one(nodes);
    }
  }

  #quoted(quote: string): string {
    const text = this.#match(quote === '"' ? /"(?:[^"\\]|\\.)*"/y : /'(?:[^'\\]|\\.)*'/y);
    if (!text) throw new Error("unterminated quoted string");
    return unquoted(text);
  }

  #skipSpaces(): void {
    this.#match(/\s+/y);
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.#text)?.[0] ?? "";
    this.at += match.length;
    return match;
  }
}

function unquoted(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_, character: string) => escapes[character] ?? character);
}

function splitUnion(text: string): string[] {
  return text.match(/(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"])+/g) ?? [];
}

function sliceOf(text: string): Node {
  const bounds = text.split(":").map((bound) => bound.trim());
  const [from = "", to = "", by = ""] = bounds;
  if (text.trim() === "" || bounds.length > 3 || !bounds.every((bound) => /^-?\d*$/.test(bound))) {
    throw new Error(`invalid array index ${text}`);
  }
  return {
    form: "slice",
    ...(from ? { from: Number(from) } : {}),
    ...(to ? { to: Number(to) } : {}),
    ...(by ? { by: Number(by) } : {}),
    isSingle: bounds.length === 1,
  };
}
