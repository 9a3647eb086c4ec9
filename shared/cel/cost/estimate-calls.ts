// Estimates of the costs of calls and the sizes of their results, from the sizes of their arguments.
import { type CostRange, exactly, plus, scaled, times, unknown } from "./cost-range.ts";
import { type Overload, cidrType, formatType, ipType, urlType } from "../functions.ts";
import { authorizationCheck, formatPattern, perPatternChar, traversal } from "./sizes.ts";
import { type Expr, operators } from "../syntax/tree.ts";
import { type CelType, sameType } from "../types.ts";

export interface SizedNode {
  readonly expr: Expr;
  readonly type: CelType;
  readonly size: CostRange | undefined;
  /** The size of each item of a list of the data. */
  readonly items: CostRange | undefined;
}

export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange;
}

type Estimator = (
  target: SizedNode | undefined,
  args: readonly SizedNode[],
  overload: Overload,
) => CallEstimate | undefined;

const unitCost: CallEstimate = { cost: exactly(1) };
const addressBytes: CostRange = { min: 4, max: 16 };
const longestFormat = 64;
const requirementCost = 50;

/** Estimates a call. The cost of evaluating the arguments is not included. */
export function estimateCall(
  overload: Overload,
  target: SizedNode | undefined,
  args: readonly SizedNode[],
): CallEstimate {
  return estimators.get(overload.name)?.(target, args, overload) ?? unitCost;
}

const sizeOf = (node: SizedNode | undefined): CostRange => node?.size ?? unknown;
const read = (size: CostRange): CostRange => scaled(size, traversal);
const readFirst: Estimator = (_target, [text]) => ({ cost: read(sizeOf(text)) });
const readOwn: Estimator = (target) => ({ cost: read(sizeOf(target)), size: sizeOf(target) });
const selector: Estimator = (_target, [text]) => {
  const requirements = scaled(scaled(sizeOf(text), 0.5), requirementCost);
  return { cost: plus(exactly(10), read(sizeOf(text)), requirements) };
};

const estimators: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  ["check", () => ({ cost: exactly(authorizationCheck) })],
  ...named("fieldSelector labelSelector", selector),
  ...named("isSorted sum max min indexOf lastIndexOf", walkList),
  ...named("url jsonpatch.escapeKey", (_target, [text]) => ({ cost: read(sizeOf(text)), size: sizeOf(text) })),
  ...named("lowerAscii upperAscii substring trim", readOwn),
  ["replace", replaced],
  ["split", splitUp],
  ["join", joined],
  ...named("find findAll", (target, [pattern]) => ({
    cost: patternCost(sizeOf(target), sizeOf(pattern)),
    size: { min: 0, max: sizeOf(target).max },
  })),
  ...named("cidr isIP isCIDR quantity isQuantity semver isSemver", readFirst),
  ["ip", (target, args, overload) => (target ? unitCost : readFirst(target, args, overload))],
  ["ip.isCanonical", (_target, [text]) => ({ cost: scaled(sizeOf(text), 2 * traversal) })],
  [
    "containsIP",
    (_target, args, overload) => ({ cost: plus(read(plus(addressBytes, addressBytes)), parsed(args, overload)) }),
  ],
  ["containsCIDR", containsNetwork],
  ["validate", (_target, [text]) => ({ cost: scaled(read(sizeOf(text)), formatPattern * perPatternChar) })],
  ...named("startsWith endsWith", readFirst),
  ["format", (target) => ({ cost: read(sizeOf(target)) })],
  [
    "strings.quote",
    (_target, [text]) => ({ cost: read(sizeOf(text)), size: plus(scaled(sizeOf(text), 2), exactly(2)) }),
  ],
  ["bytes", (target, args, overload) => converted(target, args, overload, "string")],
  ["string", (target, args, overload) => converted(target, args, overload, "bytes")],
  [
    operators.in,
    (_target, [, list], overload) => (overload.args[1]?.kind === "list" ? { cost: sizeOf(list) } : unitCost),
  ],
  ["matches", (target, [pattern]) => (target ? { cost: patternCost(sizeOf(target), sizeOf(pattern)) } : unitCost)],
  ["contains", (target, [substring]) => ({ cost: times(read(sizeOf(target)), read(sizeOf(substring))) })],
  [operators.add, added],
  [operators.equals, equality],
  [operators.notEquals, (_target, args) => ({ cost: compared(args) })],
  ...[operators.less, operators.lessEquals, operators.greater, operators.greaterEquals].map(
    (name): [string, Estimator] => [
      name,
      (_target, args, { args: [type] }) =>
        type?.kind === "string" || type?.kind === "bytes" ? { cost: compared(args) } : unitCost,
    ],
  ),
  ["slice", sliced],
  ["lists.range", (_target, [count]) => allocated(1, exactly(intOf(count, unknown.max)))],
  ["reverse", (target) => allocated(1, sizeOf(target))],
  ["flatten", (target, [depth]) => allocated(depth ? intOf(depth, unknown.max) : 1, sizeOf(target))],
  ["distinct", (target) => allocated(2, times(sizeOf(target), sizeOf(target)))],
  ["sort", (target, _args, overload) => sorted(target, overload.args[0])],
  ["@sortByAssociatedKeys", (_target, [keys], overload) => sorted(keys, overload.args[1])],
  ...named("sets.contains sets.intersects", (_target, args) => inSets(args, 1)),
  ["sets.equivalent", (_target, args) => inSets(args, 2)],
]);

function named(names: string, estimator: Estimator): [string, Estimator][] {
  return names.split(" ").map((name) => [name, estimator]);
}

function patternCost(text: CostRange, pattern: CostRange): CostRange {
  return times(read(plus(text, exactly(1))), scaled(pattern, perPatternChar));
}

function walkList(target: SizedNode | undefined): CallEstimate | undefined {
  if (!target) return undefined;
  const [item] = target.type.params;
  if (!item) return { cost: read(sizeOf(target)) };
  const isText = item.kind === "string" || item.kind === "bytes";
  const each = isText ? plus(exactly(1), read(target.items ?? unknown)) : exactly(1);
  return { cost: times(sizeOf(target), each) };
}

/** Estimates the longest and the shortest text that replacing can return. */
function replaced(target: SizedNode | undefined, args: readonly SizedNode[]): CallEstimate | undefined {
  const [old, by] = args;
  if (!target || !old || !by) return undefined;
  const [text, from, to] = [sizeOf(target), sizeOf(old), sizeOf(by)];
  const count = (size: number, oldLength: number, keeps: boolean): { count: number; keptLength: number } => {
    if (oldLength === 0) return { count: size < unknown.max ? size + 1 : size, keptLength: size };
    return keeps ? { count: 0, keptLength: size } : { count: Math.ceil(size / oldLength), keptLength: 0 };
  };
  const longest = count(text.max, from.min, to.max <= from.min);
  const shortest = count(text.min, from.max, from.max <= to.min);
  const counts = { min: shortest.count, max: longest.count };
  const size = plus(times(counts, to), { min: shortest.keptLength, max: longest.keptLength });
  return { cost: scaled(text, 2 * traversal), size };
}

function splitUp(target: SizedNode | undefined, args: readonly SizedNode[]): CallEstimate {
  const size = sizeOf(target);
  const [, most] = args;
  return { cost: scaled(size, 2 * traversal), size: { min: 0, max: intOf(most, size.max) } };
}

function joined(target: SizedNode | undefined, [separator]: readonly SizedNode[]): CallEstimate | undefined {
  if (!target) return undefined;
  const list = sizeOf(target);
  const texts = target.type.params.length ? times(list, target.items ?? unknown) : exactly(0);
  const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = separator ? plus(texts, times(sizeOf(separator), gaps)) : texts;
  return { cost: read(size), size };
}

function parsed([address]: readonly SizedNode[], overload: Overload): CostRange {
  return overload.args[1]?.kind === "string" ? read(sizeOf(address)) : exactly(0);
}

function containsNetwork(_target: SizedNode | undefined, args: readonly SizedNode[], overload: Overload): CallEstimate {
  const comparison = plus(read(plus(addressBytes, addressBytes)), read(addressBytes), exactly(1));
  return { cost: plus(comparison, parsed(args, overload)) };
}

function converted(
  _target: SizedNode | undefined,
  [value]: readonly SizedNode[],
  overload: Overload,
  from: "bytes" | "string",
): CallEstimate {
  if (overload.args[0]?.kind !== from) return unitCost;
  const size = sizeOf(value);
  // A character has one to four bytes.
  const result =
    from === "string" ? { min: size.min, max: size.max * 4 } : { min: Math.floor(size.min / 4), max: size.max };
  return { cost: read(size), size: result };
}

function added(_target: SizedNode | undefined, [left, right]: readonly SizedNode[], overload: Overload): CallEstimate {
  const kind = overload.args[0]?.kind;
  if (kind !== "string" && kind !== "bytes" && kind !== "list") return unitCost;
  const size = plus(sizeOf(left), sizeOf(right));
  return { cost: kind === "list" ? exactly(1) : read(size), size };
}

function compared([left, right]: readonly SizedNode[]): CostRange {
  const max = Math.min(sizeOf(left).max, sizeOf(right).max);
  return read({ min: max > 0 ? 1 : 0, max });
}

function equality(_target: SizedNode | undefined, args: readonly SizedNode[]): CallEstimate {
  const [left, right] = args;
  const type = left?.type;
  if (!type || !right || !sameType(type, right.type)) return { cost: compared(args) };
  if (type === formatType) return { cost: read({ min: 1, max: longestFormat }) };
  if (type === urlType) return { cost: read({ min: 1, max: right.size?.max ?? 1 }) };
  const isOwn = type === ipType || type === cidrType || (type.kind === "struct" && type.name.startsWith("kubernetes."));
  return isOwn ? unitCost : { cost: compared(args) };
}

function sliced(target: SizedNode | undefined, [from, to]: readonly SizedNode[]): CallEstimate {
  const end = intOf(to, sizeOf(target).max);
  const start = intOf(from, 0);
  // If the difference is negative, upstream takes the largest size.
  return allocated(1, exactly(end < start ? unknown.max : end - start));
}

function sorted(list: SizedNode | undefined, type: CelType | undefined): CallEstimate {
  const kind = type?.params[0]?.kind;
  const factor = kind === "string" || kind === "bytes" ? 2 + traversal : 2;
  return allocated(factor, times(sizeOf(list), sizeOf(list)));
}

function allocated(factor: number, size: CostRange): CallEstimate {
  return { cost: plus(scaled(size, factor), exactly(11)), size };
}

function inSets([a, b]: readonly SizedNode[], factor: number): CallEstimate {
  return { cost: plus(scaled(times(sizeOf(a), sizeOf(b)), factor), exactly(1)) };
}

/** Returns the value of an integer literal, or `otherwise` if the node is none. */
function intOf(node: SizedNode | undefined, otherwise: number): number {
  if (node?.expr.kind !== "literal" || typeof node.expr.value !== "bigint") return otherwise;
  return Math.max(0, Number(node.expr.value));
}
