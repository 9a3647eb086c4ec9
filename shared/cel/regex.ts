// Regular expressions in linear time, as Go has them; those that were used last are kept.
import { RE2JS, RE2JSException } from "re2js";

const kept = new Map<string, RE2JS>();
const maxKept = 500;

/** The expression, or why it is none, in Go's words. */
export function regexOf(pattern: string): RE2JS | { readonly error: string } {
  const known = kept.get(pattern);
  if (known) return known;
  try {
    const regex = RE2JS.compile(pattern);
    if (kept.size >= maxKept) kept.clear();
    kept.set(pattern, regex);
    return regex;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { error: error.message };
  }
}

export function isRegex(found: RE2JS | { readonly error: string }): found is RE2JS {
  return !("error" in found);
}
