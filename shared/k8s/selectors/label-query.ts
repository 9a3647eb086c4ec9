// The parser of label selectors as they stand in a query, with upstream's messages.
import { FieldPath, type FieldError } from "../field.ts";
import { type Requirement, validateKey, validateRequirement } from "./label-requirement.ts";
import { ApiError } from "../status.ts";

type Operator = "=" | "==" | "!=" | "in" | "notin" | ">" | "<";
type TokenType = Operator | ")" | "(" | "," | "!" | "word" | "end" | "error";

interface Token {
  readonly type: TokenType;
  readonly text: string;
}

const operators: readonly string[] = ["in", "notin", "=", "==", "!=", ">", "<"] satisfies Operator[];

/** Throws a 400. */
export function parseRequirements(text: string): Requirement[] {
  const tokens = tokensOf(text);
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

/** A cursor over the tokens; `in` and `notin` are words unless an operator is asked for. */
interface Tokens {
  peek(): Token;
  take(): Token;
  takeOperator(): Token;
}

function tokensOf(text: string): Tokens {
  const tokens = scan(text);
  let at = 0;
  const end: Token = { type: "end", text: "" };
  const asWord = (token: Token): Token =>
    token.type === "in" || token.type === "notin" ? { type: "word", text: token.text } : token;
  return {
    peek: () => asWord(tokens[at] ?? end),
    take: () => asWord(tokens[at++] ?? end),
    takeOperator: () => tokens[at++] ?? end,
  };
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [piece] of text.matchAll(/[=!(),><]+|[^=!(),><\s]+/g)) {
    if (!/^[=!(),><]/.test(piece))
      tokens.push({ type: piece === "in" || piece === "notin" ? piece : "word", text: piece });
    else tokens.push(...scanSymbols(piece));
  }
  return tokens;
}

/** The longest symbol each time. */
function scanSymbols(run: string): Token[] {
  return (run.match(/==|!=|[=!(),><]/g) ?? []).map((text) => ({ type: symbol(text), text }));
}

function symbol(text: string): TokenType {
  const known: readonly TokenType[] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
  return known.find((one) => one === text) ?? "error";
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
  // Upstream checks the key here without a path, which it prints so.
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

/** `(a,b)`; nothing before, between or after commas is the empty string. */
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
      const wanted = isAfterComma ? (values.length ? "',', or identifier" : "',', ')' or identifier") : "',' or ')'";
      throw inRequirement(`found '${token.text}', expected: ${wanted}`);
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
