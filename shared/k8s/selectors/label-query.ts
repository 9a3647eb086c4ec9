// The parser of label selectors in a query, with upstream's messages.
import { FieldPath, type FieldError } from "../field.ts";
import { type Requirement, validateKey, validateRequirement } from "./label-requirement.ts";
import { ApiError } from "../status.ts";

type Operator = "=" | "==" | "!=" | "in" | "notin" | ">" | "<";
type TokenType = Operator | ")" | "(" | "," | "!" | "word" | "end";

interface Token {
  readonly type: TokenType;
  readonly text: string;
}

const operators: readonly string[] = ["in", "notin", "=", "==", "!=", ">", "<"] satisfies Operator[];

/** Parses a label selector. Throws 400 if it is malformed. */
export function parseRequirements(text: string): Requirement[] {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  for (;;) {
    const first = tokens.peek();
    if (first.type === "end") return requirements;
    if (first.type !== "word" && first.type !== "!") {
      throw refuse(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(tokens));
    const separator = tokens.take();
    if (separator.type === "end") return requirements;
    if (separator.type !== ",") throw refuse(`found '${separator.text}', expected: ',' or 'end of string'`);
    const next = tokens.peek();
    if (next.type !== "word" && next.type !== "!") {
      throw refuse(`found '${next.text}', expected: identifier after ','`);
    }
  }
}

const symbols: ReadonlyMap<string, Token> = new Map(
  (["==", "!=", "=", "!", "(", ")", ",", ">", "<"] as const).map((type) => [type, { type, text: type }]),
);
const inOperators: ReadonlyMap<string, Token> = new Map(
  (["in", "notin"] as const).map((type) => [type, { type, text: type }]),
);
const end: Token = { type: "end", text: "" };
const longestInOperator = "notin".length;

/** A cursor over the tokens of a selector. Tokens are scanned on demand, because a selector may have thousands of values. */
class Tokens {
  readonly #text: string;
  #at = 0;
  #next: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the next token, in which `in` and `notin` are words. */
  peek(): Token {
    return asWord((this.#next ??= this.#scan()));
  }

  /** Takes the next token, in which `in` and `notin` are words. */
  take(): Token {
    return asWord(this.takeOperator());
  }

  takeOperator(): Token {
    const token = this.#next ?? this.#scan();
    this.#next = undefined;
    return token;
  }

  /** Scans a word or the longest symbol. */
  #scan(): Token {
    const text = this.#text;
    while (this.#at < text.length && isSpace(text, this.#at)) this.#at++;
    const from = this.#at;
    if (from === text.length) return end;
    const symbol = symbols.get(text.slice(from, from + 2)) ?? symbols.get(text.charAt(from));
    if (symbol) {
      this.#at += symbol.text.length;
      return symbol;
    }
    while (this.#at < text.length && !isSpace(text, this.#at) && !isSymbol(text, this.#at)) this.#at++;
    const word = text.slice(from, this.#at);
    return (word.length <= longestInOperator ? inOperators.get(word) : undefined) ?? { type: "word", text: word };
  }
}

function asWord(token: Token): Token {
  return token.type === "in" || token.type === "notin" ? { type: "word", text: token.text } : token;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(text.charAt(at)));
}

function isSymbol(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // `!`, `(`, `)`, `,`, `<`, `=` and `>`.
  return code === 33 || code === 40 || code === 41 || code === 44 || (code >= 60 && code <= 62);
}

function parseRequirement(tokens: Tokens): Requirement {
  const { key, operator } = parseKey(tokens);
  if (operator) return checked({ key, operator, values: [] });
  const token = tokens.takeOperator();
  if (!isOperator(token.type)) {
    throw inRequirement(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  const values = token.type === "in" || token.type === "notin" ? parseValues(tokens) : [parseExactValue(tokens)];
  return checked({ key, operator: token.type, values: [...new Set(values)].sort() });
}

function isOperator(type: TokenType): type is Operator {
  return operators.includes(type);
}

function parseKey(tokens: Tokens): { key: string; operator?: "exists" | "!" } {
  let token = tokens.take();
  const isNegated = token.type === "!";
  if (isNegated) token = tokens.take();
  if (token.type !== "word") throw inRequirement(`found '${token.text}', expected: identifier`);
  // Upstream validates the key without a path, which it prints as `<nil>`.
  refuseErrors(validateKey(token.text, new FieldPath("<nil>")));
  if (isNegated) return { key: token.text, operator: "!" };
  const { type } = tokens.peek();
  return type === "end" || type === "," ? { key: token.text, operator: "exists" } : { key: token.text };
}

function parseExactValue(tokens: Tokens): string {
  const next = tokens.peek();
  if (next.type === "end" || next.type === ",") return "";
  const token = tokens.take();
  if (token.type !== "word") throw inRequirement(`found '${token.text}', expected: identifier`);
  return token.text;
}

/** Parses `(a,b)`. An empty place before, between or after commas is the empty string. */
function parseValues(tokens: Tokens): string[] {
  const open = tokens.take();
  if (open.type !== "(") throw inRequirement(`found '${open.text}' expected: '('`);
  const values: string[] = [];
  let isAfterComma = true;
  for (;;) {
    const token = tokens.take();
    if (token.type === ")") return isAfterComma ? [...values, ""] : values;
    if (token.type === "word" && isAfterComma) {
      values.push(token.text);
      isAfterComma = false;
    } else if (token.type === ",") {
      if (isAfterComma) values.push("");
      isAfterComma = true;
    } else {
      const expectedTokens = isAfterComma
        ? values.length
          ? "',', or identifier"
          : "',', ')' or identifier"
        : "',' or ')'";
      throw inRequirement(`found '${token.text}', expected: ${expectedTokens}`);
    }
  }
}

function checked(requirement: Requirement): Requirement {
  refuseErrors(validateRequirement(requirement));
  return requirement;
}

function refuseErrors(errors: readonly FieldError[]): void {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length) throw inRequirement(texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`);
}

function inRequirement(message: string): ApiError {
  return refuse(`unable to parse requirement: ${message}`);
}

function refuse(message: string): ApiError {
  return ApiError.badRequest(message);
}
