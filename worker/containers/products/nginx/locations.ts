// Which location of nginx' configuration a path is in.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import type { Directive } from "./config.ts";
import type { Blocks } from "./tree.ts";
import { type Asking, matchedBy } from "./variables.ts";

export interface Location {
  /** What it begins with; of an expression, the expression. */
  readonly name: string;
  readonly isExpression: boolean;
  /** Its own directives, then those of the locations around it. */
  readonly bodies: Blocks;
}

/** `location = /a`, `location ~* \.php$`, `location /b`. */
export function placed(args: readonly string[]): { readonly sign: string; readonly name: string } {
  const [first = "", second] = args;
  const sign = /^(?:=|~\*?|\^~)/.exec(first)?.[0] ?? "";
  return { sign, name: first.slice(sign.length) || (second ?? "") };
}

/** Exact ones first, then the longest beginning; expressions are tried between them. Locations may stand in others. */
export function locationOf(
  around: readonly Directive[],
  path: string,
  asking: Asking,
  outer: Blocks = [],
): Location | undefined {
  const all = around
    .filter(({ name, args, body }) => name === "location" && body && !args[0]?.startsWith("@"))
    .map(({ args, body = [] }) => ({ ...placed(args), body }));
  const longest = all
    .filter(({ sign, name }) => (sign === "" || sign === "^~") && path.startsWith(name))
    .reduce<(typeof all)[number] | undefined>((a, b) => (a && a.name.length >= b.name.length ? a : b), undefined);
  const chosen =
    all.find(({ sign, name }) => sign === "=" && name === path) ??
    (longest?.sign === "^~" ? longest : undefined) ??
    all.find(({ sign, name }) => sign.startsWith("~") && matchedBy(asking, name, path, sign === "~*")) ??
    longest;
  if (!chosen) return undefined;
  const bodies: Blocks = [chosen.body, ...outer];
  const inner = locationOf(chosen.body, path, asking, bodies);
  return inner ?? { name: chosen.name, isExpression: chosen.sign.startsWith("~"), bodies };
}

/** Whether an expression matches a text. */
export function fits(source: string, text: string, spend: Spend): boolean {
  const pattern = spend(compileUnits(source)) ? compilePattern(source) : { error: "" };
  return isPattern(pattern) && pattern.test(text, spend);
}
