// Finds the location of a path in nginx's configuration.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import type { Directive } from "./parse-config.ts";
import type { Blocks } from "./configuration.ts";
import { type Asking, matchedBy } from "./variables.ts";

export interface Location {
  /** The prefix, or the expression. */
  readonly name: string;
  readonly isExpression: boolean;
  /** The location's directives, then those of the locations around it. */
  readonly bodies: Blocks;
}

/** Parses `location = /a`, `location ~* \.php$` and `location /b`. */
export function parseLocation(args: readonly string[]): { readonly sign: string; readonly name: string } {
  const [first = "", second] = args;
  const sign = /^(?:=|~\*?|\^~)/.exec(first)?.[0] ?? "";
  return { sign, name: first.slice(sign.length) || (second ?? "") };
}

/** Finds a location: exact matches first, then the longest prefix, with expressions between them. Locations may be nested. */
export function locationOf(
  around: readonly Directive[],
  path: string,
  asking: Asking,
  outer: Blocks = [],
): Location | undefined {
  const all = around
    .filter(({ name, args, body }) => name === "location" && body && !args[0]?.startsWith("@"))
    .map(({ args, body = [] }) => ({ ...parseLocation(args), body }));
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

/** Reports whether an expression matches a text. */
export function fits(source: string, text: string, spend: Spend): boolean {
  const pattern = spend(compileUnits(source)) ? compilePattern(source) : { error: "" };
  return isPattern(pattern) && pattern.test(text, spend);
}
