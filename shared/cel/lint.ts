// Literals that can never be right, found before anything runs.
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
  /** What a macro uses twice is looked at once. */
  readonly seen: Set<Expr>;
}

export function lint(checked: Checked): readonly Problem[] {
  const found: Lint = { checked, problems: [], seen: new Set() };
  visit(found, checked.tree, false);
  return found.problems;
}

/** `isFree`: somewhere inside the arguments of `format`, where lists may be mixed. */
function visit(found: Lint, expr: Expr, isFree: boolean): void {
  if (found.seen.has(expr)) return;
  found.seen.add(expr);
  if (expr.kind === "call") literals(found, expr);
  if (expr.kind === "list" && !isFree) sameItems(found, expr);
  if (expr.kind === "map" && !isFree) sameEntries(found, expr);
  const isFormat = expr.kind === "call" && expr.name === "format";
  for (const part of partsOf(expr)) visit(found, part, isFree || isFormat);
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

function literals(found: Lint, expr: CallExpr): void {
  const [first] = expr.args;
  const text = first?.kind === "literal" && typeof first.value === "string" ? first.value : undefined;
  const isWrong = text !== undefined && (wrongLiteral[expr.name]?.(text) ?? false);
  if (isWrong && first) found.problems.push({ at: first.at, message: `invalid ${expr.name} argument` });
  if (expr.name === "format") formatted(found, expr);
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

function mismatch(found: Lint, at: number, wanted: CelType, type: CelType): void {
  found.problems.push({ at, message: `expected type '${typeText(wanted)}' but found '${typeText(type)}'` });
}

function sameItems(found: Lint, { items }: ListExpr): void {
  let first: CelType | undefined;
  for (const { value, isOptional } of items) {
    const type = isOptional ? unwrapOptional(typeOf(found, value)).type : typeOf(found, value);
    first ??= type;
    if (sameType(first, type)) continue;
    mismatch(found, value.at, first, type);
    return;
  }
}

function sameEntries(found: Lint, { entries }: MapExpr): void {
  let keyType: CelType | undefined;
  let valueType: CelType | undefined;
  for (const { key, value, isOptional } of entries) {
    const ofKey = typeOf(found, key);
    const ofValue = isOptional ? unwrapOptional(typeOf(found, value)).type : typeOf(found, value);
    keyType ??= ofKey;
    valueType ??= ofValue;
    if (!sameType(keyType, ofKey)) mismatch(found, key.at, keyType, ofKey);
    if (!sameType(valueType, ofValue)) mismatch(found, value.at, valueType, ofValue);
  }
}

function formatted(found: Lint, { at, target, args: [list] }: CallExpr): void {
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return;
  const parts = clausesOf(target.value);
  if ("error" in parts) {
    found.problems.push({ at, message: parts.error });
    return;
  }
  let index = 0;
  for (const part of parts) {
    if (typeof part === "string") continue;
    const item = list.items[index];
    if (!item) {
      found.problems.push({ at, message: `index ${index} out of range` });
      return;
    }
    index++;
    const wrong = wrongPart(found, item.value, part.letter);
    if (!wrong) continue;
    found.problems.push({ at: wrong.at, message: wrongClause(part.letter, typeOf(found, wrong).name) });
    return;
  }
  if (list.items.length > index) {
    const message = `too many arguments supplied to string.format (expected ${index}, got ${list.items.length})`;
    found.problems.push({ at, message });
  }
}

/** The argument, or the part of it, that the clause cannot tell. */
function wrongPart(found: Lint, expr: Expr, letter: string): Expr | undefined {
  const { kind } = typeOf(found, expr);
  if (kind !== "dyn" && !clauseKinds[letter]?.includes(kind)) return expr;
  if (letter !== "s" || (expr.kind !== "list" && expr.kind !== "map")) return undefined;
  for (const part of partsOf(expr)) {
    const wrong = wrongPart(found, part, letter);
    if (wrong) return wrong;
  }
  return undefined;
}
