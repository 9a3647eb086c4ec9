// jq's functions that select and map.
import { type At, type Builtins, type Interpreter, members, combined } from "../run.ts";
import { isTrue, JqError } from "../values.ts";
import { node, take, num, list, entryOf } from "./values.ts";

export function selecting(run: Interpreter): Builtins {
  return {
    *"select/1"(input, [test], scope) {
      for (const holds of run.values(node(test), input.value, scope)) if (isTrue(holds)) yield input;
    },
    *"map/1"(input, [change], scope) {
      const made: unknown[] = [];
      for (const one of members({ value: input.value })) made.push(...run.values(node(change), one.value, scope));
      yield { value: made };
    },
    *"map_values/1"(input, [change], scope) {
      if (Array.isArray(input.value))
        yield { value: input.value.flatMap((one) => [...take(run.values(node(change), one, scope), 1)]) };
      else
        yield {
          value: Object.fromEntries(
            Object.entries(input.value as object).flatMap(([key, value]) =>
              [...take(run.values(node(change), value, scope), 1)].map((one) => [key, one]),
            ),
          ),
        };
    },
    *"recurse/1"(input, [change], scope): Generator<At> {
      const below = function* (at: At): Generator<At> {
        yield at;
        for (const next of run.run(node(change), at, scope)) yield* below(next);
      };
      yield* below(input);
    },
    *"with_entries/1"(input, [change], scope) {
      const entries = Object.entries(input.value ?? {}).map(([key, value]) => ({
        key,
        value: value as unknown,
      }));
      yield {
        value: Object.fromEntries(entries.flatMap((one) => [...run.values(node(change), one, scope)]).map(entryOf)),
      };
    },
    *"first/1"(input, [of], scope) {
      yield* take(run.run(node(of), input, scope), 1);
    },
    *"last/1"(input, [of], scope) {
      const all = [...run.run(node(of), input, scope)];
      yield* all.slice(-1);
    },
    *"limit/2"(input, [count, of], scope) {
      for (const most of run.values(node(count), input.value, scope))
        yield* take(run.run(node(of), input, scope), num(most));
    },
    *"nth/1"(input, [at], scope) {
      for (const index of run.values(node(at), input.value, scope))
        yield { value: list(input.value)[num(index)] ?? null };
    },
  };
}

export function counting(run: Interpreter): Builtins {
  return {
    *"range/1"(input, [to], scope) {
      for (const end of run.values(node(to), input.value, scope))
        for (let at = 0; at < num(end); at++) yield { value: at };
    },
    *"range/2"(input, [from, to], scope) {
      for (const start of run.values(node(from), input.value, scope))
        for (const end of run.values(node(to), input.value, scope))
          for (let at = num(start); at < num(end); at++) yield { value: at };
    },
    *"isempty/1"(input, [of], scope) {
      yield { value: [...take(run.values(node(of), input.value, scope), 1)].length === 0 };
    },
    *"error/1"(input, [of], scope) {
      for (const value of run.values(node(of), input.value, scope)) throw new JqError(value);
    },
    *"any/1"(input, [test], scope) {
      yield {
        value: [...members({ value: input.value })].some((one) =>
          [...run.values(node(test), one.value, scope)].some(isTrue),
        ),
      };
    },
    *"all/1"(input, [test], scope) {
      yield {
        value: [...members({ value: input.value })].every((one) =>
          [...run.values(node(test), one.value, scope)].every(isTrue),
        ),
      };
    },
    *"any/2"(input, [of, test], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].some((one) =>
          [...run.values(node(test), one, scope)].some(isTrue),
        ),
      };
    },
    *"all/2"(input, [of, test], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].every((one) =>
          [...run.values(node(test), one, scope)].every(isTrue),
        ),
      };
    },
    *"add/1"(input, [of], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].reduce(
          (sum: unknown, next) => combined("+", sum, next),
          null,
        ),
      };
    },
  };
}
