// Regular expressions.
import { keptPattern } from "../../base/kept-patterns.ts";
import { isPattern, type Spend } from "../../base/pattern.ts";
import { celCostWork } from "../../k8s/bounds/work.ts";
import { type Library, paid } from "../functions.ts";
import type { Pay } from "../pay.ts";
import { type Value, fail, list } from "../values.ts";

export const regex: Library = {
  "matches(string, string) bool": paid(matches),
  ".matches(string, string) bool": paid(matches),
  ".find(string, string) string": paid(find),
  ".findAll(string, string) list(string)": paid((pay: Pay, text: string, pattern: string) =>
    findAll(pay, text, pattern, -1n),
  ),
  ".findAll(string, string, int) list(string)": paid(findAll),
};

/** Pays for the work of compiling and matching. */
function spending(pay: Pay): Spend {
  return (units) => {
    pay(units / celCostWork);
    return true;
  };
}

function matches(pay: Pay, text: string, pattern: string): Value {
  const spend = spending(pay);
  const found = keptPattern(pattern, spend);
  return isPattern(found) ? found.test(text, spend) : fail(found.error);
}

function find(pay: Pay, text: string, pattern: string): Value {
  const spend = spending(pay);
  const found = keptPattern(pattern, spend);
  if (!isPattern(found)) return fail(`Illegal regex: ${found.error}`);
  return found.find(text, 0, spend)?.groups[0] ?? "";
}

/** At most so many; all, if negative. */
function findAll(pay: Pay, text: string, pattern: string, most: bigint): Value {
  const spend = spending(pay);
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
