// The largest cost that an expression can have, estimated from the sizes of its data. Expressions whose estimate exceeds the limit are
// refused.
import type { Checked } from "../checker.ts";
import { type CostRange, either, exactly, plus, times, unknown } from "./cost-range.ts";
import { type CallEstimate, type SizedNode, estimateCall } from "./estimate-calls.ts";
import type { Overload } from "../functions.ts";
import { charsOf } from "./sizes.ts";
import { type CallExpr, type Comprehension, type Expr, operators } from "../syntax/tree.ts";
import { type CelType, dynType, isOptional } from "../types.ts";

/**
 * Returns the size of the data at a path: the name of a variable, then fields, `@items`, `@keys` and `@values`. Undefined if the size is
 * unknown.
 */
export type Sizes = (path: readonly string[]) => CostRange | undefined;

interface EntrySize {
  readonly isList: boolean;
  readonly key: CostRange;
  readonly value: CostRange;
}

interface Local {
  readonly path: readonly string[];
  readonly size: CostRange | undefined;
  readonly entry: EntrySize | undefined;
}

interface Coster {
  readonly checked: Checked;
  readonly sizes: Sizes;
  readonly paths: Map<Expr, readonly string[]>;
  readonly computedSizes: Map<Expr, CostRange>;
  readonly entries: Map<Expr, EntrySize>;
  readonly locals: Map<string, Local[]>;
  /** Costs of expressions that were estimated before, since a macro may use an expression twice. */
  readonly costs: Map<Expr, CostRange>;
}

const lookCost = exactly(1);
const nothing = exactly(0);
const accumulators = new Set(["@result", "__result__"]);

export function estimate(checked: Checked, sizes: Sizes): CostRange {
  const coster: Coster = {
    checked,
    sizes,
    paths: new Map(),
    computedSizes: new Map(),
    entries: new Map(),
    locals: new Map(),
    costs: new Map(),
  };
  return cost(coster, checked.tree);
}

function cost(coster: Coster, expr: Expr): CostRange {
  const estimated = coster.costs.get(expr) ?? costOf(coster, expr);
  coster.costs.set(expr, estimated);
  return estimated;
}

function costOf(coster: Coster, expr: Expr): CostRange {
  // The expression is a dotted name, or the name of a type.
  const reference = coster.checked.references.get(expr);
  if (reference && expr.kind !== "struct")
    return named(coster, expr, "variable" in reference ? reference.variable : "");
  switch (expr.kind) {
    case "literal":
    case "ident":
      return nothing;
    case "select":
      return selected(coster, expr.operand, expr, expr.field, expr.isTest);
    case "call":
      return called(coster, expr);
    case "list": {
      const items = expr.items.map(({ value }) => ({ value, cost: cost(coster, value) }));
      const value = items.map((item) => sizeOrUnknown(coster, item.value)).reduce(either, widest(items.length));
      coster.entries.set(expr, { isList: true, key: exactly(1), value });
      return plus(...items.map((item) => item.cost), exactly(10));
    }
    case "map": {
      const costs = expr.entries.map(({ key, value }) => plus(cost(coster, key), cost(coster, value)));
      const keys = expr.entries.map(({ key }) => sizeOrUnknown(coster, key));
      const values = expr.entries.map(({ value }) => sizeOrUnknown(coster, value));
      const start = widest(keys.length);
      coster.entries.set(expr, { isList: false, key: keys.reduce(either, start), value: values.reduce(either, start) });
      return plus(...costs, exactly(30));
    }
    case "struct":
      return plus(...expr.fields.map(({ value }) => cost(coster, value)), exactly(40));
    case "comprehension":
      return isBinding(expr) ? bound(coster, expr) : looped(coster, expr);
  }
}

/** Returns an empty range, with which joining ranges begins. */
function widest(count: number): CostRange {
  return { min: count ? unknown.max : 0, max: 0 };
}

function named(coster: Coster, expr: Expr, name: string): CostRange {
  const local = coster.locals.get(name)?.at(-1);
  coster.paths.set(expr, local ? local.path : [name]);
  return lookCost;
}

function selected(coster: Coster, operand: Expr, expr: Expr, field: string, isTest: boolean): CostRange {
  const operandCost = cost(coster, operand);
  if (isTest) return operandCost;
  const { kind } = typeOf(coster, operand);
  coster.paths.set(expr, [...pathOf(coster, operand), field]);
  return kind === "map" || kind === "struct" || kind === "param" ? plus(operandCost, lookCost) : operandCost;
}

function called(coster: Coster, expr: CallExpr): CostRange {
  const [first] = expr.args;
  if (expr.name === "dyn" && first) {
    const argCost = cost(coster, first);
    copySizes(coster, expr, first);
    return plus(exactly(1), argCost);
  }
  const argCosts = expr.args.map((arg) => cost(coster, arg));
  const call = coster.checked.calls.get(expr);
  if (!call?.overloads.length) return nothing;
  const targetCost = call.target ? cost(coster, call.target) : nothing;
  const args = expr.args.map((arg) => nodeOf(coster, arg));
  const target = call.target ? nodeOf(coster, call.target) : undefined;
  let callCost: CostRange = { min: unknown.max, max: 0 };
  let size: CostRange | undefined;
  for (const overload of call.overloads) {
    const estimated = oneOverload(coster, expr, overload, target, args, argCosts);
    callCost = either(callCost, estimated.cost);
    if (estimated.size) size = size ? either(size, estimated.size) : estimated.size;
    const isList = overload.args[0]?.kind === "list";
    if (call.name === operators.index && first && (isList || overload.args[0]?.kind === "map")) {
      size = entryOf(coster, first)?.value;
      coster.paths.set(expr, [...pathOf(coster, first), isList ? "@items" : "@values"]);
    }
    size ??= sizeOf(coster, expr);
  }
  if (size) coster.computedSizes.set(expr, size);
  return plus(targetCost, callCost);
}

function oneOverload(
  coster: Coster,
  expr: CallExpr,
  overload: Overload,
  target: SizedNode | undefined,
  args: readonly SizedNode[],
  argCosts: readonly CostRange[],
): CallEstimate {
  const [first = nothing, second = nothing, third = nothing] = argCosts;
  const [, then, otherwise] = expr.args;
  switch (overload.name) {
    case operators.and:
    case operators.or:
      // The second operand is only evaluated if the first does not decide.
      return { cost: { min: first.min, max: plus(first, second).max } };
    case operators.conditional: {
      if (!then || !otherwise) break;
      const entry = bothEntries(entryOf(coster, then), entryOf(coster, otherwise));
      if (entry) coster.entries.set(expr, entry);
      const size = either(sizeOrUnknown(coster, then), sizeOrUnknown(coster, otherwise));
      return { cost: plus(first, either(second, third)), size };
    }
    case operators.add: {
      const [left, right] = expr.args;
      const entry = left && right && bothEntries(entryOf(coster, left), entryOf(coster, right));
      if (entry) coster.entries.set(expr, entry);
      break;
    }
    default:
      break;
  }
  const estimated = estimateCall(overload, target, args);
  return { ...estimated, cost: plus(estimated.cost, ...argCosts) };
}

function bothEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { isList: a.isList, key: either(a.key, b.key), value: either(a.value, b.value) };
}

function isBinding({ range, condition, gathered }: Comprehension): boolean {
  return (
    range.kind === "list" &&
    range.items.length === 0 &&
    condition.kind === "literal" &&
    condition.value === false &&
    gathered !== "__result__"
  );
}

function bound(coster: Coster, expr: Comprehension): CostRange {
  const before = plus(cost(coster, expr.range), cost(coster, expr.init));
  pushLocal(coster, expr.gathered, expr.init);
  const result = cost(coster, expr.result);
  coster.locals.get(expr.gathered)?.pop();
  copySizes(coster, expr, expr.result);
  return plus(before, result);
}

function looped(coster: Coster, expr: Comprehension): CostRange {
  const before = plus(cost(coster, expr.range), cost(coster, expr.init));
  pushLocal(coster, expr.gathered, expr.init);
  const variables = loopVariables(coster, expr);
  for (const [name, local] of variables) push(coster, name, local);
  const round = plus(cost(coster, expr.condition), cost(coster, expr.step));
  for (const [name] of variables) coster.locals.get(name)?.pop();
  const result = cost(coster, expr.result);
  coster.locals.get(expr.gathered)?.pop();
  const count = sizeOrUnknown(coster, expr.range);
  if (expr.init.kind === "literal") {
    const size = sizeOf(coster, expr.init);
    if (size) coster.computedSizes.set(expr, size);
  } else if (expr.init.kind === "list" || expr.init.kind === "map") {
    coster.computedSizes.set(expr, count);
    const entry = entryOf(coster, expr.step);
    if (entry) coster.entries.set(expr, entry);
  }
  return plus(before, result, times(count, round));
}

function loopVariables(coster: Coster, { range, variable, second }: Comprehension): [string, Local][] {
  const entry = entryOf(coster, range);
  const path = pathOf(coster, range);
  const isList = entry ? entry.isList : typeOf(coster, range).kind === "list";
  const local = (step: string, size: CostRange | undefined): Local => ({
    path: [...path, step],
    size,
    entry: undefined,
  });
  const value = local(isList ? "@items" : "@values", entry?.value);
  if (second !== undefined)
    return [
      [variable, local(isList ? "@indices" : "@keys", entry?.key)],
      [second, value],
    ];
  return [[variable, isList ? value : local("@keys", entry?.key)]];
}

function pushLocal(coster: Coster, name: string, expr: Expr): void {
  push(coster, name, { path: pathOf(coster, expr), size: sizeOf(coster, expr), entry: entryOf(coster, expr) });
}

function push({ locals }: Coster, name: string, local: Local): void {
  const stack = locals.get(name);
  if (stack) stack.push(local);
  else locals.set(name, [local]);
}

function localOf(coster: Coster, expr: Expr): Local | undefined {
  return expr.kind === "ident" ? coster.locals.get(expr.name)?.at(-1) : undefined;
}

function typeOf({ checked }: Coster, expr: Expr): CelType {
  return checked.types.get(expr) ?? dynType;
}

function pathOf(coster: Coster, expr: Expr): readonly string[] {
  return localOf(coster, expr)?.path ?? coster.paths.get(expr) ?? [];
}

function nodeOf(coster: Coster, expr: Expr): SizedNode {
  const path = pathOf(coster, expr);
  return {
    expr,
    type: typeOf(coster, expr),
    size: sizeOf(coster, expr),
    // The accumulator of a loop is not data.
    items: accumulators.has(path[0] ?? "") || !path.length ? undefined : coster.sizes([...path, "@items"]),
  };
}

function entryOf(coster: Coster, expr: Expr): EntrySize | undefined {
  return coster.entries.get(expr) ?? localOf(coster, expr)?.entry;
}

function copySizes(coster: Coster, to: Expr, from: Expr): void {
  const size = sizeOf(coster, from);
  if (size) coster.computedSizes.set(to, size);
  const entry = entryOf(coster, from);
  if (entry) coster.entries.set(to, entry);
}

function sizeOrUnknown(coster: Coster, expr: Expr): CostRange {
  return sizeOf(coster, expr) ?? unknown;
}

function sizeOf(coster: Coster, expr: Expr): CostRange | undefined {
  const computed = coster.computedSizes.get(expr) ?? sizeOfLiteral(expr);
  if (computed) return computed;
  const path = pathOf(coster, expr);
  const dataSize = path.length ? coster.sizes(path) : undefined;
  if (dataSize) {
    coster.computedSizes.set(expr, dataSize);
    return dataSize;
  }
  return isScalar(typeOf(coster, expr)) ? exactly(1) : localOf(coster, expr)?.size;
}

function sizeOfLiteral(expr: Expr): CostRange | undefined {
  switch (expr.kind) {
    case "literal":
      if (typeof expr.value === "string") return exactly(charsOf(expr.value));
      return exactly(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case "list":
      return exactly(expr.items.length);
    case "map":
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  if (isOptional(type)) return isScalar(type.params[0] ?? dynType);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
