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

/** Charges the work of compiling and matching. */
function spending(pay: Pay): Spend {
  return (units) => {
    pay(units / celCostWork);
    return true;
  };
}

function matches(pay: Pay, text: string, pattern: string): Value {
  const spend = spending(pay);
  const compiled = keptPattern(pattern, spend);
  return isPattern(compiled) ? compiled.test(text, spend) : fail(compiled.error);
}

function find(pay: Pay, text: string, pattern: string): Value {
  const spend = spending(pay);
  const compiled = keptPattern(pattern, spend);
  if (!isPattern(compiled)) return fail(`Illegal regex: ${compiled.error}`);
  return compiled.find(text, 0, spend)?.groups[0] ?? "";
}

/** Returns at most `most` matches; all if it is negative. */
function findAll(pay: Pay, text: string, pattern: string, most: bigint): Value {
  const spend = spending(pay);
  const compiled = keptPattern(pattern, spend);
  if (!isPattern(compiled)) return fail(`Illegal regex: ${compiled.error}`);
  const all: string[] = [];
  if (most === 0n) return list(all);
  for (const { groups } of compiled.findAll(text, spend)) {
    all.push(groups[0] ?? "");
    if (BigInt(all.length) === most) break;
  }
  return list(all);
}
