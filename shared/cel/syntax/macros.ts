// Macros: calls that expand to loops, tests and bindings. They are expanded while the source is parsed.
import { type CallExpr, type Comprehension, type Expr, type Ident, operators } from "./tree.ts";
import { must } from "../../base/assert.ts";
import type { Value } from "../values.ts";

export class MacroProblem {
  readonly at: number;
  readonly message: string;
  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

/** The accumulator of a loop. No expression can refer to it by name. */
const accumulator = "@result";
/** The accumulator of older versions of CEL, which is still refused as a name. */
const legacyAccumulator = "__result__";
const unused = "#unused";
const sortInput = "@__sortBy_input__";

type Macro = (at: number, target: Expr, args: readonly Expr[]) => Expr | MacroProblem;

/** The macros by name and number of arguments. */
const macros: ReadonlyMap<string, Macro> = new Map([
  ["all:2", quantifier("all", 1)],
  ["all:3", quantifier("all", 2)],
  ["exists:2", quantifier("exists", 1)],
  ["exists:3", quantifier("exists", 2)],
  ["exists_one:2", quantifier("one", 1)],
  ["exists_one:3", quantifier("one", 2)],
  ["existsOne:2", quantifier("one", 1)],
  ["existsOne:3", quantifier("one", 2)],
  ["map:2", mapping],
  ["map:3", mapping],
  ["filter:2", filtering],
  ["optMap:2", optional(true)],
  ["optFlatMap:2", optional(false)],
  ["sortBy:2", sorting],
  ["transformList:3", transforming("list")],
  ["transformList:4", transforming("list")],
  ["transformMap:3", transforming("map")],
  ["transformMap:4", transforming("map")],
  ["transformMapEntry:3", transforming("entry")],
  ["transformMapEntry:4", transforming("entry")],
]);

/** Expands a macro. Returns other calls unchanged. */
export function unfold(tree: CallExpr): Expr | MacroProblem {
  const { at, name, target, args } = tree;
  if (target) return macros.get(`${name}:${args.length}`)?.(at, target, args) ?? tree;
  const [only] = args;
  if (name !== "has" || args.length !== 1 || !only) return tree;
  if (only.kind !== "select") return new MacroProblem(only.at, "invalid argument to has() macro");
  return { ...only, at, isTest: true };
}

const literal = (at: number, value: Value): Expr => ({ kind: "literal", at, value });
const ident = (at: number, name: string): Ident => ({ kind: "ident", at, name });
const call = (at: number, name: string, ...args: Expr[]): CallExpr => ({
  kind: "call",
  at,
  name,
  target: undefined,
  args,
});
const memberCall = (at: number, name: string, target: Expr): CallExpr => ({ kind: "call", at, name, target, args: [] });
const listOf = (at: number, ...items: Expr[]): Expr => ({
  kind: "list",
  at,
  items: items.map((value) => ({ value, isOptional: false })),
});

type Loop = Omit<Comprehension, "at" | "gathered" | "kind" | "range" | "second" | "variable">;

function loop(at: number, range: Expr, variables: readonly string[], clauses: Loop): Comprehension {
  const [variable = unused, second] = variables;
  return { kind: "comprehension", at, range, variable, second, gathered: accumulator, ...clauses };
}

function variablesOf(args: readonly Expr[], count: number, wrong: string): string[] | MacroProblem {
  const names: string[] = [];
  for (const arg of args.slice(0, count)) {
    if (arg.kind !== "ident") return new MacroProblem(arg.at, wrong);
    if (arg.name === accumulator || arg.name === legacyAccumulator) {
      return new MacroProblem(arg.at, "iteration variable overwrites accumulator variable");
    }
    if (names.includes(arg.name)) return new MacroProblem(arg.at, `duplicate variable name: ${arg.name}`);
    names.push(arg.name);
  }
  return names;
}

/** Returns an argument that `macros` guarantees by the number in its key. */
function argumentAt(args: readonly Expr[], index: number): Expr {
  return must(args[index], "an argument of a macro");
}

function quantifier(kind: "all" | "exists" | "one", count: number): Macro {
  return (at, target, args) => {
    const names = variablesOf(args, count, "argument must be a simple name");
    if (names instanceof MacroProblem) return names;
    return loop(at, target, names, quantified(kind, at, argumentAt(args, count)));
  };
}

function quantified(kind: "all" | "exists" | "one", at: number, predicate: Expr): Loop {
  const accu = ident(at, accumulator);
  if (kind === "all") {
    return {
      init: literal(at, true),
      condition: call(at, operators.notStrictlyFalse, accu),
      step: call(at, operators.and, accu, predicate),
      result: accu,
    };
  }
  if (kind === "exists") {
    return {
      init: literal(at, false),
      condition: call(at, operators.notStrictlyFalse, call(at, operators.not, accu)),
      step: call(at, operators.or, accu, predicate),
      result: accu,
    };
  }
  const more = call(at, operators.add, accu, literal(at, 1n));
  return {
    init: literal(at, 0n),
    condition: literal(at, true),
    step: call(at, operators.conditional, predicate, more, accu),
    result: call(at, operators.equals, accu, literal(at, 1n)),
  };
}

function gathering(at: number, init: Expr, step: Expr, filter: Expr | undefined): Loop {
  const accu = ident(at, accumulator);
  return {
    init,
    condition: literal(at, true),
    step: filter ? call(at, operators.conditional, filter, step, accu) : step,
    result: accu,
  };
}

function mapping(at: number, target: Expr, args: readonly Expr[]): Expr | MacroProblem {
  const names = variablesOf(args, 1, "argument is not an identifier");
  if (names instanceof MacroProblem) return names;
  const [first, last] = [argumentAt(args, 1), args[2]];
  const step = call(at, operators.add, ident(at, accumulator), listOf(at, last ?? first));
  return loop(at, target, names, gathering(at, listOf(at), step, last ? first : undefined));
}

function filtering(at: number, target: Expr, args: readonly Expr[]): Expr | MacroProblem {
  const names = variablesOf(args, 1, "argument is not an identifier");
  if (names instanceof MacroProblem) return names;
  const [variable, predicate] = [argumentAt(args, 0), argumentAt(args, 1)];
  const step = call(at, operators.add, ident(at, accumulator), listOf(at, variable));
  return loop(at, target, names, gathering(at, listOf(at), step, predicate));
}

function transforming(into: "entry" | "list" | "map"): Macro {
  return (at, target, args) => {
    const names = variablesOf(args, 2, "argument must be a simple name");
    if (names instanceof MacroProblem) return names;
    const [third, fourth] = [argumentAt(args, 2), args[3]];
    const transform = fourth ?? third;
    const filter = fourth ? third : undefined;
    const accu = ident(at, accumulator);
    if (into === "list") {
      const step = call(at, operators.add, accu, listOf(at, transform));
      return loop(at, target, names, gathering(at, listOf(at), step, filter));
    }
    const key = into === "map" ? [ident(at, names[0] ?? "")] : [];
    const step = call(at, "cel.@mapInsert", accu, ...key, transform);
    return loop(at, target, names, gathering(at, { kind: "map", at, entries: [] }, step, filter));
  };
}

/** Binds a value to a name: a loop over an empty list, whose result refers to the name. */
function binding(at: number, name: string, value: Expr, result: Expr): Comprehension {
  const clauses = { init: value, condition: literal(at, false), step: ident(at, name), result };
  return { ...loop(at, listOf(at), [], clauses), gathered: name };
}

function optional(wraps: boolean): Macro {
  return (at, target, [variable, mapped]) => {
    const macro = wraps ? "optMap" : "optFlatMap";
    if (variable?.kind !== "ident" || !mapped) {
      return new MacroProblem(variable?.at ?? at, `${macro}() variable name must be a simple identifier`);
    }
    const bound = binding(at, variable.name, memberCall(at, "value", target), mapped);
    const then = wraps ? call(at, "optional.of", bound) : bound;
    return call(at, operators.conditional, memberCall(at, "hasValue", target), then, call(at, "optional.none"));
  };
}

function sorting(at: number, target: Expr, args: readonly Expr[]): Expr | MacroProblem {
  if (!["list", "select", "ident", "comprehension", "call"].includes(target.kind)) {
    const why = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    return new MacroProblem(target.at, why);
  }
  const keys = mapping(at, ident(at, sortInput), args);
  if (keys instanceof MacroProblem) return keys;
  const sorted: CallExpr = {
    kind: "call",
    at,
    name: "@sortByAssociatedKeys",
    target: ident(at, sortInput),
    args: [keys],
  };
  return binding(at, sortInput, target, sorted);
}
