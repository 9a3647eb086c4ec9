// The functions of jq that run a filter again on its own results: recurse, repeat, while and until. Their rounds take no stack.
import { charge, hold } from "../meter.ts";
import type { At, FunctionCall } from "./scope.ts";
import { isTrue } from "./values.ts";

type Round = Generator<At, void, undefined>;

/** The next result of a round: a value, an error, or undefined at its end. */
type Result = { readonly at: At } | { readonly error: unknown } | undefined;

const roundBytes = 256;

/** Runs `recurse(f)`, `repeat(f)`, `while(condition; f)` or `until(condition; f)`. */
export function* unfolded({ scope, args, at, run, values }: FunctionCall, key: string): Round {
  const [first, second] = args;
  const hasCondition = second !== undefined;
  const filter = second ?? first;
  if (!first || !filter) return;
  const { process } = scope.call;
  // A round whose last value was taken is dropped before that value is processed, so that a chain of any length holds one round.
  const open: { readonly round: Round; next: Result }[] = [];
  let current: At | undefined = at;
  for (;;) {
    if (current) {
      charge(process, 0.5);
      for (const condition of hasCondition ? values(scope, first, current.value) : [true]) {
        const isShown = key === "until/2" ? isTrue(condition) : !hasCondition || isTrue(condition);
        if (isShown) yield current;
        if (hasCondition && isTrue(condition) === (key === "until/2")) continue;
        const round = run(scope, filter, current);
        hold(process, roundBytes);
        open.push({ round, next: resultOf(round) });
      }
    }
    const last = open.at(-1);
    if (!last) return;
    const { next } = last;
    if (next === undefined) current = undefined;
    else if ("error" in next) throw next.error;
    else {
      current = next.at;
      last.next = resultOf(last.round);
    }
    if (last.next === undefined) {
      open.pop();
      hold(process, -roundBytes);
    }
  }
}

function resultOf(round: Round): Result {
  try {
    const { value, done } = round.next();
    return done || !value ? undefined : { at: value };
  } catch (error) {
    return { error };
  }
}
