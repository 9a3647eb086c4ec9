// jq's functions that sort, group and look for values.
import { type At, type Builtins, type Interpreter, type Scope } from "../run.ts";
import type { Node } from "../syntax.ts";
import { compareValues } from "../values.ts";
import { node, num, list, unique, has, contains, indices } from "./values.ts";

export function collecting(run: Interpreter): Builtins {
  const keyed = (input: At, key: Node | undefined, scope: Scope) =>
    list(input.value).map((value) => ({ value, key: [...run.values(node(key), value, scope)] }));
  const sorted = (input: At, key: Node | undefined, scope: Scope) =>
    keyed(input, key, scope).sort((a, b) => compareValues(a.key, b.key));
  return {
    *"sort_by/1"(input, [key], scope) {
      yield { value: sorted(input, key, scope).map(({ value }) => value) };
    },
    *"group_by/1"(input, [key], scope) {
      const groups: { key: unknown; values: unknown[] }[] = [];
      for (const one of sorted(input, key, scope)) {
        const last = groups.at(-1);
        if (last && compareValues(last.key, one.key) === 0) last.values.push(one.value);
        else groups.push({ key: one.key, values: [one.value] });
      }
      yield { value: groups.map(({ values }) => values) };
    },
    *"unique_by/1"(input, [key], scope) {
      const all = keyed(input, key, scope);
      yield {
        value: unique(
          all.map(({ value }) => value),
          all.map((one) => one.key),
        ),
      };
    },
    *"min_by/1"(input, [key], scope) {
      yield { value: sorted(input, key, scope)[0]?.value ?? null };
    },
    *"max_by/1"(input, [key], scope) {
      yield { value: sorted(input, key, scope).at(-1)?.value ?? null };
    },
    *"has/1"(input, [key], scope) {
      for (const one of run.values(node(key), input.value, scope)) yield { value: has(input.value, one) };
    },
    *"in/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: has(one, input.value) };
    },
    *"contains/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: contains(input.value, one) };
    },
    *"inside/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: contains(one, input.value) };
    },
    *"index/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: indices(input.value, one)[0] ?? null };
    },
    *"indices/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: indices(input.value, one) };
    },
    *"flatten/1"(input, [depth], scope) {
      for (const one of run.values(node(depth), input.value, scope)) yield { value: list(input.value).flat(num(one)) };
    },
    *"IN/1"(input, [of], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].some((one) => compareValues(one, input.value) === 0),
      };
    },
  };
}
