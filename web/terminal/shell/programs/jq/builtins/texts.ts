// jq's functions of texts.
import { type Builtin, type Builtins, type Interpreter } from "../run.ts";
import { textOf } from "../values.ts";
import { node, text, list } from "./values.ts";

export function texts(run: Interpreter): Builtins {
  const two =
    (change: (value: string, given: string) => unknown): Builtin =>
    (input, [of], scope) =>
      [...run.values(node(of), input.value, scope)].map((one) => ({ value: change(text(input.value), text(one)) }));
  return {
    "startswith/1": two((value, start) => value.startsWith(start)),
    "endswith/1": two((value, end) => value.endsWith(end)),
    "ltrimstr/1": two((value, start) => (value.startsWith(start) ? value.slice(start.length) : value)),
    "rtrimstr/1": two((value, end) => (end !== "" && value.endsWith(end) ? value.slice(0, -end.length) : value)),
    "split/1": two((value, mark) => (value === "" ? [] : value.split(mark))),
    *"join/1"(input, [mark], scope) {
      for (const one of run.values(node(mark), input.value, scope))
        yield {
          value: list(input.value)
            .map((part) => (part === null ? "" : textOf(part)))
            .join(text(one)),
        };
    },
  };
}
