// jq's functions of regular expressions.
import { compilePattern, isPattern, type Match, type Pattern } from "../../../../../../shared/base/pattern.ts";
import { newBudget } from "../../../language/patterns.ts";
import { type At, type Builtin, type Builtins, type Interpreter, type Scope } from "../run.ts";
import type { Node } from "../syntax.ts";
import { JqError, textOf } from "../values.ts";
import { node, take, text } from "./values.ts";

const capture = ({ groups }: Match, _: string, source: string) =>
  Object.fromEntries(namesIn(source).map((name, at) => [name, groups[at + 1] ?? null]));
const scanned = ({ groups }: Match) =>
  groups.length > 1 ? groups.slice(1).map((one) => one ?? null) : (groups[0] ?? "");
const matched = ({ groups, start, end }: Match) => ({
  offset: start,
  length: end - start,
  string: groups[0] ?? "",
  captures: groups.slice(1).map((one) => ({ string: one ?? null })),
});
export function patterns(run: Interpreter): Builtins {
  const each = eachPattern(run);
  const test: Builtin = (input, args, scope) =>
    each(input, args, scope, (pattern) => [{ value: pattern.test(text(input.value), newBudget()) }]);
  const matches = (isAlwaysAll: boolean, show: (match: Match, value: string, pattern: string) => unknown): Builtin =>
    function* (input, args, scope) {
      const value = text(input.value);
      const source = textOf(run.values(node(args[0]), input.value, scope).next().value);
      yield* each(input, args, scope, (pattern, isAll) =>
        [
          ...(isAll || isAlwaysAll
            ? pattern.findAll(value, newBudget())
            : take(pattern.findAll(value, newBudget()), 1)),
        ].map((found) => ({
          value: show(found, value, source),
        })),
      );
    };
  return {
    "test/1": test,
    "test/2": test,
    "match/1": matches(false, matched),
    "match/2": matches(false, matched),
    "capture/1": matches(false, capture),
    "capture/2": matches(false, capture),
    "scan/1": matches(true, scanned),
    "sub/2": substituted(run, false),
    "sub/3": substituted(run, false),
    "gsub/2": substituted(run, true),
    "gsub/3": substituted(run, true),
    *"split/2"(input, [source], scope) {
      for (const one of run.values(node(source), input.value, scope)) {
        const value = text(input.value);
        const parts: string[] = [];
        let at = 0;
        for (const { start, end } of compiled(text(one), "").findAll(value, newBudget())) {
          parts.push(value.slice(at, start));
          at = end;
        }
        yield { value: [...parts, value.slice(at)] };
      }
    },
  };
}

/** Runs `use` with each expression that the first argument gives. */
function eachPattern(run: Interpreter) {
  return function* (
    input: At,
    args: readonly Node[],
    scope: Scope,
    use: (pattern: Pattern, isAll: boolean) => Iterable<At>,
  ): Generator<At> {
    for (const source of run.values(node(args[0]), input.value, scope)) {
      const [given, own] = Array.isArray(source) ? (source as unknown[]) : [source];
      const flags = args[1] ? text(run.values(args[1], input.value, scope).next().value ?? "") : text(own ?? "");
      yield* use(compiled(text(given), flags), flags.includes("g"));
    }
  };
}

function substituted(run: Interpreter, isAlwaysAll: boolean): Builtin {
  const each = eachPattern(run);
  return function* (input, [source, by, flags], scope) {
    const value = text(input.value);
    const names = namesIn(textOf(run.values(node(source), input.value, scope).next().value));
    yield* each(input, flags ? [node(source), flags] : [node(source)], scope, function* (pattern, isAll) {
      let made = "";
      let at = 0;
      for (const found of pattern.findAll(value, newBudget())) {
        const groups = Object.fromEntries(names.map((name, place) => [name, found.groups[place + 1] ?? null]));
        made += value.slice(at, found.start) + textOf(run.values(node(by), groups, scope).next().value);
        at = found.end;
        if (!isAll && !isAlwaysAll) break;
      }
      yield { value: made + value.slice(at) };
    });
  };
}

/** Names of groups in their order; those without one have none. */
function namesIn(source: string): string[] {
  return [...source.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g)].map(([, name = ""]) => name);
}

function compiled(source: string, flags: string): Pattern {
  const found = compilePattern(source.replace(/\(\?<(?=[A-Za-z_])/g, "(?P<"), { ignoresCase: flags.includes("i") });
  if (!isPattern(found)) throw new JqError(`${source} (at offset 0) is not a valid regex: ${found.error}`);
  return found;
}
