// jq's own functions, by name and number of arguments.
import type { Builtins, Interpreter } from "../run.ts";
import { collecting } from "./collecting.ts";
import { paths } from "./paths.ts";
import { patterns } from "./patterns.ts";
import { plain } from "./plain.ts";
import { counting, selecting } from "./selecting.ts";
import { texts } from "./texts.ts";

/** `nowMs` gives the time of `now`. */
export function builtinsOf(run: Interpreter, nowMs: () => number): Builtins {
  return {
    ...plain(nowMs),
    ...selecting(run),
    ...counting(run),
    ...collecting(run),
    ...paths(run),
    ...texts(run),
    ...patterns(run),
  };
}
