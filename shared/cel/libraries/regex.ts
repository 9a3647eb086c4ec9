// Regular expressions.
import { keptPattern, patternBudget } from "../../base/kept-patterns.ts";
import { isPattern, type Spend } from "../../base/pattern.ts";
import { CostExceeded } from "../cost-exceeded.ts";
import type { Library } from "../functions.ts";
import { type Value, fail, list } from "../values.ts";

export const regex: Library = {
  "matches(string, string) bool": matches,
  ".matches(string, string) bool": matches,
  ".find(string, string) string": find,
  ".findAll(string, string) list(string)": (text: string, pattern: string) => findAll(text, pattern, -1n),
  ".findAll(string, string, int) list(string)": findAll,
};

/** What matching takes of the request's budget; what is past it ends the evaluation. */
function spending(): Spend {
  const spend = patternBudget();
  return (units) => {
    if (!spend(units)) throw new CostExceeded();
    return true;
  };
}

function matches(text: string, pattern: string): Value {
  const spend = spending();
  const found = keptPattern(pattern, spend);
  return isPattern(found) ? found.test(text, spend) : fail(found.error);
}

function find(text: string, pattern: string): Value {
  const spend = spending();
  const found = keptPattern(pattern, spend);
  if (!isPattern(found)) return fail(`Illegal regex: ${found.error}`);
  return found.find(text, 0, spend)?.groups[0] ?? "";
}

/** At most so many; all, if negative. */
function findAll(text: string, pattern: string, most: bigint): Value {
  const spend = spending();
  const found = keptPattern(pattern, spend);
  if (!isPattern(found)) return fail(`Illegal regex: ${found.error}`);
  const all: string[] = [];
  if (most === 0n) return list(all);
  for (const { groups } of found.findAll(text, spend)) {
    all.push(groups[0] ?? "");
    if (BigInt(all.length) === most) break;
  }
  return list(all);
}
