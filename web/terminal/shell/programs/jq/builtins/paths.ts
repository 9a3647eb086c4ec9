// jq's functions of paths.
import { type At, type Builtins, type Interpreter, members, type Path, put, valueAt, without } from "../run.ts";
import { node, list } from "./values.ts";

export function paths(run: Interpreter): Builtins {
  return {
    *"path/1"(input, [of], scope) {
      for (const { path } of run.paths(node(of), input.value, scope)) yield { value: path };
    },
    *"paths/0"(input) {
      const below = function* (at: At): Generator<Path> {
        if (at.path && at.path.length > 0) yield at.path;
        if (typeof at.value === "object" && at.value !== null) for (const one of members(at)) yield* below(one);
      };
      for (const value of below({ value: input.value, path: [] })) yield { value };
    },
    *"del/1"(input, [of], scope) {
      yield {
        value: without(
          input.value,
          [...run.paths(node(of), input.value, scope)].map(({ path = [] }) => path),
        ),
      };
    },
    *"delpaths/1"(input, [of], scope) {
      for (const value of run.values(node(of), input.value, scope))
        yield { value: without(input.value, list(value) as Path[]) };
    },
    *"getpath/1"(input, [of], scope) {
      for (const value of run.values(node(of), input.value, scope)) {
        const path = list(value) as Path;
        yield { value: valueAt(input.value, path), path: input.path && [...input.path, ...path] };
      }
    },
    *"setpath/2"(input, [of, to], scope) {
      for (const path of run.values(node(of), input.value, scope))
        for (const value of run.values(node(to), input.value, scope))
          yield { value: put(input.value, list(path) as Path, value) };
    },
  };
}
