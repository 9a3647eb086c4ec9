// Finds literals that are always invalid, before anything is evaluated.
import { keptPattern } from "../base/kept-patterns.ts";
import { limits } from "../base/limits.ts";
import { budgetOf, isPattern } from "../base/pattern.ts";
import type { Checked } from "./checker.ts";
import { clauseKinds, clausesOf, wrongClause } from "./libraries/format-text.ts";
import { conversions } from "./libraries/conversions.ts";
import type { Problem } from "./problems.ts";
import type { CallExpr, Expr, ListExpr, MapExpr } from "./syntax/tree.ts";
import { type CelType, dynType, sameType, typeText, unwrapOptional } from "./types.ts";
import { type Value, isFailure } from "./values.ts";

interface Lint {
  readonly checked: Checked;
  readonly problems: Problem[];
  /** Expressions that were visited before, since a macro may use an expression twice. */
  readonly visited: Set<Expr>;
}

export function lint(checked: Checked): readonly Problem[] {
  const report: Lint = { checked, problems: [], visited: new Set() };
  visit(report, checked.tree, false);
  return report.problems;
}

/** Visits an expression. `isFree`: it is inside the arguments of `format`, where lists may have items of several types. */
function visit(report: Lint, expr: Expr, isFree: boolean): void {
  if (report.visited.has(expr)) return;
  report.visited.add(expr);
  if (expr.kind === "call") literals(report, expr);
  if (expr.kind === "list" && !isFree) sameItems(report, expr);
  if (expr.kind === "map" && !isFree) sameEntries(report, expr);
  const isFormat = expr.kind === "call" && expr.name === "format";
  for (const child of partsOf(expr)) visit(report, child, isFree || isFormat);
}

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.items.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

function literals(report: Lint, expr: CallExpr): void {
  const [first] = expr.args;
  const text = first?.kind === "literal" && typeof first.value === "string" ? first.value : undefined;
  const isWrong = text !== undefined && (wrongLiteral[expr.name]?.(text) ?? false);
  if (isWrong && first) report.problems.push({ at: first.at, message: `invalid ${expr.name} argument` });
  if (expr.name === "format") formatted(report, expr);
}

const wrongLiteral: Readonly<Record<string, ((text: string) => boolean) | undefined>> = {
  duration: (text) => cannotBe("duration(string) duration", text),
  timestamp: (text) => cannotBe("timestamp(string) timestamp", text),
  matches: (text) => !isPattern(keptPattern(text, budgetOf(limits.patternUnits))),
};

function cannotBe(signature: string, text: string): boolean {
  const convert = conversions[signature] as ((text: string) => Value) | undefined;
  return convert !== undefined && isFailure(convert(text));
}

function typeOf({ checked }: Lint, expr: Expr): CelType {
  return checked.types.get(expr) ?? dynType;
}

function mismatch(report: Lint, at: number, expected: CelType, type: CelType): void {
  report.problems.push({ at, message: `expected type '${typeText(expected)}' but found '${typeText(type)}'` });
}

function sameItems(report: Lint, { items }: ListExpr): void {
  let first: CelType | undefined;
  for (const { value, isOptional } of items) {
    const type = isOptional ? unwrapOptional(typeOf(report, value)).type : typeOf(report, value);
    first ??= type;
    if (sameType(first, type)) continue;
    mismatch(report, value.at, first, type);
    return;
  }
}

function sameEntries(report: Lint, { entries }: MapExpr): void {
  let keyType: CelType | undefined;
  let valueType: CelType | undefined;
  for (const { key, value, isOptional } of entries) {
    const ofKey = typeOf(report, key);
    const ofValue = isOptional ? unwrapOptional(typeOf(report, value)).type : typeOf(report, value);
    keyType ??= ofKey;
    valueType ??= ofValue;
    if (!sameType(keyType, ofKey)) mismatch(report, key.at, keyType, ofKey);
    if (!sameType(valueType, ofValue)) mismatch(report, value.at, valueType, ofValue);
  }
}

function formatted(report: Lint, { at, target, args: [list] }: CallExpr): void {
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return;
  const segments = clausesOf(target.value);
  if ("error" in segments) {
    report.problems.push({ at, message: segments.error });
    return;
  }
  let index = 0;
  for (const segment of segments) {
    if (typeof segment === "string") continue;
    const item = list.items[index];
    if (!item) {
      report.problems.push({ at, message: `index ${index} out of range` });
      return;
    }
    index++;
    const wrong = wrongPart(report, item.value, segment.letter);
    if (!wrong) continue;
    report.problems.push({ at: wrong.at, message: wrongClause(segment.letter, typeOf(report, wrong).name) });
    return;
  }
  if (list.items.length > index) {
    const message = `too many arguments supplied to string.format (expected ${index}, got ${list.items.length})`;
    report.problems.push({ at, message });
  }
}

/** Returns the argument, or the item in it, that the clause cannot format. */
function wrongPart(report: Lint, expr: Expr, letter: string): Expr | undefined {
  const { kind } = typeOf(report, expr);
  if (kind !== "dyn" && !clauseKinds[letter]?.includes(kind)) return expr;
  if (letter !== "s" || (expr.kind !== "list" && expr.kind !== "map")) return undefined;
  for (const child of partsOf(expr)) {
    const wrong = wrongPart(report, child, letter);
    if (wrong) return wrong;
  }
  return undefined;
}
