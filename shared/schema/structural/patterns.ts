// Regular expressions of schemas: Go's dialect, matched in linear time.
import { RE2JS } from "re2js";

export interface Pattern {
  /** Whether any part of the text matches. */
  test(text: string): boolean;
}

/** Undefined where the expression is not one. */
export function compilePattern(text: string): Pattern | undefined {
  const found = tryPattern(text);
  return "error" in found ? undefined : found;
}

/** The same, with Go's words for what is wrong. */
export function tryPattern(text: string): Pattern | { readonly error: string } {
  try {
    const compiled = RE2JS.compile(text);
    return { test: (value) => compiled.matcher(value).find() };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
