// Regular expressions.
import type { Library } from "../functions.ts";
import { isRegex, regexOf } from "../regex.ts";
import { type Value, fail, list } from "../values.ts";

export const regex: Library = {
  "matches(string, string) bool": matches,
  ".matches(string, string) bool": matches,
  ".find(string, string) string": find,
  ".findAll(string, string) list(string)": (text: string, pattern: string) => findAll(text, pattern, -1n),
  ".findAll(string, string, int) list(string)": findAll,
};

function matches(text: string, pattern: string): Value {
  const found = regexOf(pattern);
  if (!isRegex(found)) return fail(found.error);
  return found.matcher(text).find();
}

function find(text: string, pattern: string): Value {
  const found = regexOf(pattern);
  if (!isRegex(found)) return fail(`Illegal regex: ${found.error}`);
  const matcher = found.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** At most so many; all, if negative. */
function findAll(text: string, pattern: string, most: bigint): Value {
  const found = regexOf(pattern);
  if (!isRegex(found)) return fail(`Illegal regex: ${found.error}`);
  const all: string[] = [];
  const matcher = found.matcher(text);
  while ((most < 0n || BigInt(all.length) < most) && matcher.find()) all.push(matcher.group() ?? "");
  return list(all);
}
