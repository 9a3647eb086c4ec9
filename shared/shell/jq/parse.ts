// The parser of jq filters.
import { charge, leaveLevel, enterLevel, hold, type Metered } from "../meter.ts";

export type Filter =
  | { readonly kind: "this" | "all" | "iterate" }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "text"; readonly pieces: readonly (string | Filter)[]; readonly format: string | undefined }
  | { readonly kind: "variable" | "format"; readonly name: string }
  | { readonly kind: "key"; readonly of: Filter; readonly key: Filter }
  | { readonly kind: "slice"; readonly of: Filter; readonly from: Filter | undefined; readonly to: Filter | undefined }
  | { readonly kind: "each"; readonly of: Filter }
  | { readonly kind: "try"; readonly of: Filter; readonly otherwise: Filter | undefined }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Filter; readonly right: Filter }
  | { readonly kind: "minus"; readonly of: Filter }
  | { readonly kind: "list"; readonly of: Filter | undefined }
  | { readonly kind: "object"; readonly entries: readonly (readonly [Filter, Filter])[] }
  | { readonly kind: "if"; readonly condition: Filter; readonly yes: Filter; readonly no: Filter | undefined }
  | {
      readonly kind: "reduce";
      readonly source: Filter;
      readonly name: string;
      readonly start: Filter;
      readonly step: Filter;
      /** The filter that `foreach` applies to each state before it is shown; undefined if it shows the states themselves. */
      readonly shows: Filter | undefined;
    }
  | { readonly kind: "bind"; readonly source: Filter; readonly names: readonly Binding[]; readonly body: Filter }
  | {
      readonly kind: "define";
      readonly name: string;
      readonly parameters: readonly string[];
      readonly body: Filter;
      readonly rest: Filter;
    }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Filter[] };

/** `$x`, or a variable of a pattern such as `[$a, $b]` or `{a: $x}`, with its path in the value. */
export interface Binding {
  readonly name: string;
  readonly path: readonly (string | number)[];
}

export class JqSyntaxError extends Error {}

interface Parser {
  readonly payer: Metered;
  readonly text: string;
  at: number;
}

const nodeBytes = 128;

/** Parses a filter. Throws a `JqSyntaxError`. */
export function parseJq(text: string, payer: Metered): Filter {
  const parser = { payer, text, at: 0 };
  const filter = pipe(parser);
  skip(parser);
  if (parser.at < text.length) fail(parser);
  return filter;
}

function fail({ text, at }: Parser): never {
  const [token = ""] = /^(?:\w+|[^\s])/.exec(text.slice(at)) ?? [];
  throw new JqSyntaxError(
    token === "" ? "syntax error, unexpected end of file" : `syntax error, unexpected '${token}'`,
  );
}

function skip(parser: Parser): void {
  const blanks = /(?:\s+|#[^\n]*)*/y;
  blanks.lastIndex = parser.at;
  parser.at += blanks.exec(parser.text)?.[0].length ?? 0;
}

function match(parser: Parser, pattern: RegExp): string | undefined {
  skip(parser);
  pattern.lastIndex = parser.at;
  const matched = pattern.exec(parser.text)?.[0];
  if (matched === undefined) return undefined;
  charge(parser.payer, 0.5);
  hold(parser.payer, nodeBytes);
  parser.at += matched.length;
  return matched;
}

function expect(parser: Parser, pattern: RegExp): string {
  return match(parser, pattern) ?? fail(parser);
}

function deeper(parser: Parser, read: (parser: Parser) => Filter): Filter {
  enterLevel(parser.payer);
  const filter = read(parser);
  leaveLevel(parser.payer);
  return filter;
}

function pipe(parser: Parser): Filter {
  return deeper(parser, readPipe);
}

function readPipe(parser: Parser): Filter {
  if (match(parser, /def\b/y) !== undefined) {
    const name = expect(parser, /[A-Za-z_]\w*/y);
    const parameters: string[] = [];
    if (match(parser, /\(/y) !== undefined) {
      do parameters.push(expect(parser, /\$?[A-Za-z_]\w*/y));
      while (match(parser, /;/y) !== undefined);
      expect(parser, /\)/y);
    }
    expect(parser, /:/y);
    const body = pipe(parser);
    expect(parser, /;/y);
    return { kind: "define", name, parameters, body, rest: pipe(parser) };
  }
  const left = comma(parser);
  if (match(parser, /as\b/y) !== undefined) {
    const names = pattern(parser, []);
    expect(parser, /\|(?![=|])/y);
    return { kind: "bind", source: left, names, body: pipe(parser) };
  }
  if (match(parser, /\|(?![=|])/y) === undefined) return left;
  return { kind: "binary", operator: "|", left, right: pipe(parser) };
}

function pattern(parser: Parser, path: Binding["path"]): Binding[] {
  const names: Binding[] = [];
  enterLevel(parser.payer);
  if (match(parser, /\[/y) !== undefined) {
    let at = 0;
    do names.push(...pattern(parser, [...path, at++]));
    while (match(parser, /,/y) !== undefined);
    expect(parser, /\]/y);
  } else if (match(parser, /\{/y) !== undefined) {
    do {
      const key = expect(parser, /\$?[A-Za-z_]\w*|"(?:[^"\\]|\\[^])*"/y);
      const name = key.startsWith('"') ? unquoted(parser, key.slice(1, -1)) : key.replace("$", "");
      if (key.startsWith("$")) names.push({ name, path: [...path, name] });
      if (!key.startsWith("$") || /^\s*:/.test(parser.text.slice(parser.at, parser.at + 16))) {
        expect(parser, /:/y);
        names.push(...pattern(parser, [...path, name]));
      }
    } while (match(parser, /,/y) !== undefined);
    expect(parser, /\}/y);
  } else names.push({ name: expect(parser, /\$[A-Za-z_]\w*/y).slice(1), path });
  leaveLevel(parser.payer);
  return names;
}

function comma(parser: Parser): Filter {
  let left = assignment(parser);
  while (match(parser, /,/y) !== undefined) left = { kind: "binary", operator: ",", left, right: assignment(parser) };
  return left;
}

function assignment(parser: Parser): Filter {
  const left = alternative(parser);
  const operator = match(parser, /(?:\/\/|[-+*/%|])?=(?!=)/y);
  return operator === undefined ? left : { kind: "binary", operator, left, right: alternative(parser) };
}

/** Parses `//`, which returns the first alternative that has a result. */
function alternative(parser: Parser): Filter {
  const left = either(parser);
  return match(parser, /\/\/(?!=)/y) === undefined
    ? left
    : { kind: "binary", operator: "//", left, right: deeper(parser, alternative) };
}

function leftward(parser: Parser, pattern: RegExp, tighter: (parser: Parser) => Filter): Filter {
  let left = tighter(parser);
  for (let operator; (operator = match(parser, pattern)) !== undefined; )
    left = { kind: "binary", operator, left, right: tighter(parser) };
  return left;
}

function either(parser: Parser): Filter {
  return leftward(parser, /or\b/y, (inner) => leftward(inner, /and\b/y, comparison));
}

function comparison(parser: Parser): Filter {
  const left = sum(parser);
  const operator = match(parser, /==|!=|<=|>=|<|>/y);
  return operator === undefined ? left : { kind: "binary", operator, left, right: sum(parser) };
}

function sum(parser: Parser): Filter {
  return leftward(parser, /[-+](?!=)/y, (inner) => leftward(inner, /\*(?!=)|\/(?![/=])|%(?!=)/y, postfix));
}

function postfix(parser: Parser): Filter {
  let of = deeper(parser, term);
  for (;;) {
    if (match(parser, /\?(?!\/\/)/y) !== undefined) of = { kind: "try", of, otherwise: undefined };
    else if (/[.[]/.test(parser.text[parser.at] ?? "")) {
      const next = suffix(parser, of);
      if (!next) return of;
      of = next;
    } else return of;
  }
}

/** Parses `.key`, `."key"`, `[key]`, `[]` or `[1:2]`. */
function suffix(parser: Parser, of: Filter): Filter | undefined {
  const name = match(parser, /\.[A-Za-z_]\w*/y);
  if (name !== undefined) return { kind: "key", of, key: { kind: "value", value: name.slice(1) } };
  if (match(parser, /\.(?=")/y) !== undefined) return { kind: "key", of, key: text(parser, undefined) };
  if (match(parser, /\.?\[/y) === undefined) return undefined;
  if (match(parser, /\]/y) !== undefined) return { kind: "each", of };
  if (match(parser, /:/y) !== undefined) {
    const to = pipe(parser);
    expect(parser, /\]/y);
    return { kind: "slice", of, from: undefined, to };
  }
  const key = pipe(parser);
  if (match(parser, /:/y) === undefined) {
    expect(parser, /\]/y);
    return { kind: "key", of, key };
  }
  const to = match(parser, /\]/y) === undefined ? pipe(parser) : undefined;
  if (to) expect(parser, /\]/y);
  return { kind: "slice", of, from: key, to };
}

function term(parser: Parser): Filter {
  const number = match(parser, /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y);
  if (number !== undefined) return { kind: "value", value: Number(number) };
  skip(parser);
  if (parser.text[parser.at] === '"') return text(parser, undefined);
  const format = match(parser, /@\w+/y);
  if (format !== undefined) {
    skip(parser);
    return parser.text[parser.at] === '"' ? text(parser, format) : { kind: "format", name: format };
  }
  if (match(parser, /\.\./y) !== undefined) return { kind: "all" };
  if (/^\.["[A-Za-z_]/.test(parser.text.slice(parser.at, parser.at + 2)))
    return suffix(parser, { kind: "this" }) ?? fail(parser);
  if (match(parser, /\./y) !== undefined) return { kind: "this" };
  const variable = match(parser, /\$[A-Za-z_]\w*/y);
  if (variable !== undefined) return { kind: "variable", name: variable.slice(1) };
  if (match(parser, /-/y) !== undefined) return { kind: "minus", of: postfix(parser) };
  if (match(parser, /\(/y) !== undefined) {
    const inside = pipe(parser);
    expect(parser, /\)/y);
    return inside;
  }
  if (match(parser, /\[/y) !== undefined) {
    if (match(parser, /\]/y) !== undefined) return { kind: "list", of: undefined };
    const of = pipe(parser);
    expect(parser, /\]/y);
    return { kind: "list", of };
  }
  if (match(parser, /\{/y) !== undefined) return object(parser);
  return named(parser);
}

function named(parser: Parser): Filter {
  const name = expect(parser, /[A-Za-z_]\w*/y);
  switch (name) {
    case "null":
    case "true":
    case "false":
      return { kind: "value", value: name === "null" ? null : name === "true" };
    case "if":
      return condition(parser);
    case "try": {
      const of = postfix(parser);
      return { kind: "try", of, otherwise: match(parser, /catch\b/y) === undefined ? undefined : postfix(parser) };
    }
    case "reduce":
    case "foreach": {
      const source = postfix(parser);
      expect(parser, /as\b/y);
      const variable = expect(parser, /\$[A-Za-z_]\w*/y).slice(1);
      expect(parser, /\(/y);
      const start = pipe(parser);
      expect(parser, /;/y);
      const step = pipe(parser);
      const isForeach = name === "foreach";
      const extract = isForeach && match(parser, /;/y) !== undefined ? pipe(parser) : { kind: "this" as const };
      expect(parser, /\)/y);
      return { kind: "reduce", source, name: variable, start, step, shows: isForeach ? extract : undefined };
    }
  }
  if (/^(?:then|elif|else|end|as|and|or|catch|def)$/.test(name)) {
    parser.at -= name.length;
    fail(parser);
  }
  const args: Filter[] = [];
  if (match(parser, /\(/y) !== undefined) {
    do args.push(pipe(parser));
    while (match(parser, /;/y) !== undefined);
    expect(parser, /\)/y);
  }
  return { kind: "call", name, args };
}

function condition(parser: Parser): Filter {
  const test = pipe(parser);
  expect(parser, /then\b/y);
  const yes = pipe(parser);
  if (match(parser, /elif\b/y) !== undefined)
    return { kind: "if", condition: test, yes, no: deeper(parser, condition) };
  const no = match(parser, /else\b/y) === undefined ? undefined : pipe(parser);
  expect(parser, /end\b/y);
  return { kind: "if", condition: test, yes, no };
}

function object(parser: Parser): Filter {
  const entries: (readonly [Filter, Filter])[] = [];
  while (match(parser, /\}/y) === undefined) {
    skip(parser);
    const variable = match(parser, /\$[A-Za-z_]\w*/y);
    const name = variable === undefined ? match(parser, /[A-Za-z_]\w*/y) : variable.slice(1);
    let key: Filter;
    if (name !== undefined) key = { kind: "value", value: name };
    else if (parser.text[parser.at] === '"') key = text(parser, undefined);
    else {
      expect(parser, /\(/y);
      key = pipe(parser);
      expect(parser, /\)/y);
    }
    const shorthand: Filter =
      variable === undefined ? { kind: "key", of: { kind: "this" }, key } : { kind: "variable", name: name ?? "" };
    const isGiven = match(parser, /:/y) !== undefined;
    entries.push([key, isGiven ? leftward(parser, /\|(?!=)/y, alternative) : shorthand]);
    if (match(parser, /,/y) === undefined) {
      expect(parser, /\}/y);
      break;
    }
  }
  return { kind: "object", entries };
}

/** Parses a text that may contain `\(filters)`. */
function text(parser: Parser, format: string | undefined): Filter {
  const pieces: (string | Filter)[] = [];
  parser.at++;
  for (;;) {
    const literalText = /(?:[^"\\]|\\[^(])+/y;
    literalText.lastIndex = parser.at;
    const piece = literalText.exec(parser.text)?.[0];
    if (piece !== undefined) {
      pieces.push(unquoted(parser, piece));
      parser.at += piece.length;
    } else if (parser.text.startsWith("\\(", parser.at)) {
      parser.at += 2;
      pieces.push(pipe(parser));
      expect(parser, /\)/y);
    } else if (parser.text[parser.at] === '"') {
      parser.at++;
      return { kind: "text", pieces, format };
    } else fail(parser);
  }
}

function unquoted(parser: Parser, piece: string): string {
  try {
    return String(JSON.parse(`"${piece.replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`));
  } catch {
    return fail(parser);
  }
}
