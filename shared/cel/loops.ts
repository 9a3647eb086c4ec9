// Loops: one round for each item of a list or key of a map. Each round is charged.
import type { PlannedExpr, Planned, Planner } from "./planned-expr.ts";
import type { Frame, Run } from "./run.ts";
import type { Comprehension } from "./syntax/tree.ts";
import {
  type ListValue,
  type MapValue,
  type Value,
  at,
  fail,
  find,
  finished,
  gatheredList,
  fillingMap,
  isFailure,
  isList,
  isMap,
  keysOf,
  kindOf,
  noSuchOverload,
  sizeOf,
} from "./values.ts";

/** The work of one round beside its cost, in units of cost. */
const roundWork = 4;

interface Loop {
  readonly expr: Comprehension;
  readonly range: PlannedExpr;
  readonly init: PlannedExpr;
  readonly condition: PlannedExpr;
  readonly step: PlannedExpr;
  readonly result: PlannedExpr;
}

export function loop(planner: Planner, expr: Comprehension): Planned {
  const planned: Loop = {
    expr,
    range: planner.planExpr(expr.range),
    init: planner.planExpr(expr.init),
    condition: planner.planExpr(expr.condition),
    step: planner.planExpr(expr.step),
    result: planner.planExpr(expr.result),
  };
  return (run) => {
    const range = planned.range.evaluate(run);
    if (isFailure(range)) return range;
    if (!isList(range) && !isMap(range)) {
      return fail(`got 'types.${goName(kindOf(range))}', expected iterable type`);
    }
    const outer = run.frame;
    try {
      return rounds(planned, range, run, outer);
    } finally {
      run.frame = outer;
    }
  };
}

function rounds(
  { expr, init, condition, step, result }: Loop,
  range: ListValue | MapValue,
  run: Run,
  outer: Frame | undefined,
): Value {
  const gathered = lazily(init, run, outer, expr.gathered);
  const variables: Frame & { first: Value; second: Value } = {
    names: expr.second === undefined ? [expr.variable] : [expr.variable, expr.second],
    outer: gathered.frame,
    first: null,
    second: null,
    read(index) {
      return index === 0 ? this.first : this.second;
    },
  };
  for (const [first, second] of entriesOf(range, expr.second !== undefined)) {
    run.pay(roundWork);
    variables.first = first;
    variables.second = second;
    run.frame = variables;
    const goesOn = condition.evaluate(run);
    if (typeof goesOn === "boolean" && !goesOn) break;
    gathered.set(step.evaluate(run));
  }
  run.frame = gathered.frame;
  return finished(result.evaluate(run));
}

/** Evaluates the first value of an accumulator lazily, when it is first read. */
function lazily(init: PlannedExpr, run: Run, outer: Frame | undefined, name: string) {
  let value: Value | undefined;
  const frame: Frame = {
    names: [name],
    outer,
    read() {
      if (value !== undefined) return value;
      const inner = run.frame;
      run.frame = outer;
      const first = init.evaluate(run);
      run.frame = inner;
      // A list that starts empty is filled in place.
      if (isList(first) && first.items.length === 0) value = gatheredList();
      else value = isMap(first) && sizeOf(first) === 0 ? fillingMap() : first;
      return value;
    },
  };
  const set = (next: Value) => {
    value = next;
  };
  return { frame, set };
}

/** Returns a value of a map; null is a value too. */
function valueAt(map: MapValue, key: Value): Value {
  const value = find(map, key);
  return value === undefined ? noSuchOverload : value;
}

function goName(kind: string): string {
  return kind[0]?.toUpperCase() + kind.slice(1);
}

function* entriesOf(range: ListValue | MapValue, isPair: boolean): Iterable<readonly [Value, Value]> {
  if (isList(range)) {
    for (let index = 0; index < range.items.length; index++) {
      const item = at(range, index);
      yield isPair ? [BigInt(index), item] : [item, null];
    }
    return;
  }
  for (const key of keysOf(range)) yield [key, isPair ? valueAt(range, key) : null];
}
