// Functions of sprig on regular expressions, in Go's dialect and in linear time.
import { budgetOf, compilePattern, isPattern, type Match, type Pattern } from "../../../../../shared/base/pattern.ts";
import { define, type Functions } from "../template/builtins.ts";
import { CallError, checkLength, TemplateLimit } from "../template/errors.ts";

const maxPatterns = 500;

/** Creates the functions of one rendering. `units` is the work of all their calls in microseconds. */
export function patternFunctions(units: number): Functions {
  const compiled = new Map<string, Pattern>();
  const compile = (source: string): Pattern => {
    const before = compiled.get(source);
    if (before) return before;
    const pattern = compilePattern(source);
    if (!isPattern(pattern)) throw new CallError(pattern.error);
    if (compiled.size >= maxPatterns) compiled.clear();
    compiled.set(source, pattern);
    return pattern;
  };
  const budget = budgetOf(units);
  const spend = (taken: number) => {
    if (!budget(taken)) throw new TemplateLimit("the regular expressions take longer than a page may spend");
    return true;
  };
  const all = (source: string, text: string, count = -1n): Match[] => {
    const matches: Match[] = [];
    for (const match of compile(source).findAll(text, spend)) {
      if (count >= 0n && BigInt(matches.length) >= count) break;
      matches.push(match);
    }
    return matches;
  };
  const replace = (source: string, text: string, replacement: (match: Match) => string): string => {
    let result = "";
    let at = 0;
    for (const match of all(source, text)) {
      result += text.slice(at, match.start) + replacement(match);
      checkLength(result.length);
      at = match.end;
    }
    return result + text.slice(at);
  };
  const split = (source: string, text: string, count: bigint): string[] => {
    if (count === 0n) return [];
    const pieces: string[] = [];
    let at = 0;
    for (const { start, end } of all(source, text)) {
      if (count > 0n && BigInt(pieces.length) === count - 1n) break;
      if (end === 0) continue;
      pieces.push(text.slice(at, start));
      at = end;
    }
    return [...pieces, text.slice(at)];
  };
  const functions: Functions = {
    regexMatch: define("ss", (source: string, text: string) => compile(source).test(text, spend)),
    regexFind: define("ss", (source: string, text: string) => all(source, text, 1n)[0]?.groups[0] ?? ""),
    regexFindAll: define("ssi", (source: string, text: string, count: bigint) =>
      all(source, text, count).map(({ groups }) => groups[0] ?? ""),
    ),
    regexReplaceAll: define("sss", (source: string, text: string, form: string) =>
      replace(source, text, (match) => expanded(form, match)),
    ),
    regexReplaceAllLiteral: define("sss", (source: string, text: string, literal: string) =>
      replace(source, text, () => literal),
    ),
    regexSplit: define("ssi", split),
  };
  return {
    ...functions,
    ...Object.fromEntries(Object.entries(functions).map(([name, value]) => [`mustR${name.slice(1)}`, value])),
    regexQuoteMeta: define("s", (text: string) => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&")),
  };
}

/** Replaces `$1` and `${1}` by groups; an unknown name is empty. */
function expanded(form: string, { groups }: Match): string {
  return form.replaceAll(/\$(?:\$|(\w+)|\{(\w+)\})/g, (all, bare?: string, braced?: string) => {
    if (all === "$$") return "$";
    return groups[Number(bare ?? braced)] ?? "";
  });
}
