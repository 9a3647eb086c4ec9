// Edits values of variables: `${name#pattern}`, `${name/from/to}` and the like.
import { Growing } from "./lines.ts";
import { charge, type Metered, chargeForReading } from "./meter.ts";
import { globEnd, globFind, globMatches, globOf, globStart } from "./patterns/glob.ts";

/** Applies `${name#pattern}` and the like. */
export function edited(payer: Metered, value: string, operator: string, argument: string): string {
  const spend = (units: number) => charge(payer, units);
  switch (operator) {
    case "#":
    case "##":
      return value.slice(globStart(globOf(argument), value, operator === "##", spend) ?? 0);
    case "%":
    case "%%":
      return value.slice(0, globEnd(globOf(argument), value, operator === "%%", spend));
    case "^":
    case "^^":
    case ",":
    case ",,":
      return cased(value, operator);
    case "@Q":
      return `'${value.replaceAll("'", "'\\''")}'`;
    case "@U":
      return value.toUpperCase();
    case "@L":
      return value.toLowerCase();
    case "@u":
      return cased(value, "^");
    default:
      return replaced(payer, value, argument, operator);
  }
}

function cased(value: string, operator: string): string {
  const change = (text: string) => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

/** Applies `${name/from/to}`: `//` replaces all matches, `/#` one at the beginning, `/%` one at the end. */
function replaced(payer: Metered, value: string, argument: string, operator: string): string {
  const spend = (units: number) => charge(payer, units);
  chargeForReading(payer, argument);
  let slash = 0;
  while (slash < argument.length && argument.charAt(slash) !== "/") slash += argument.charAt(slash) === "\\" ? 2 : 1;
  const glob = globOf(argument.slice(0, slash));
  const to = argument.slice(slash + 1).replace(/\\(.)/gs, "$1");
  if (operator === "/#") {
    const end = globStart(glob, value, true, spend);
    return end === undefined ? value : to + value.slice(end);
  }
  if (operator === "/%") {
    const begin = globEnd(glob, value, true, spend);
    return begin === undefined || begin === value.length ? value : value.slice(0, begin) + to;
  }
  if (value === "" && globMatches(glob, value, spend)) return glob.length > 0 ? to : "";
  const text = new Growing(payer);
  let at = 0;
  for (let match; (match = globFind(glob, value, at, spend)); ) {
    text.add(value.slice(at, match[0]) + to);
    at = match[1];
    if (operator === "/") break;
  }
  text.add(value.slice(at));
  return text.take();
}
