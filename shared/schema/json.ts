// JSON as the API reads it: with the platform's parser for speed. Only a malformed body, or one with duplicate fields, is scanned again,
// because that parser does not report them.
import { limits } from "../base/limits.ts";
import { ApiError } from "../k8s/status.ts";
import { scanJson } from "./json-scan.ts";
import { unrecognized } from "./wording.ts";

export interface ParsedJson {
  readonly value: unknown;
  /** The paths of duplicate fields: `metadata.labels.a`. */
  readonly duplicates: string[];
  /** See `Scan`. Undefined if there are no duplicates. */
  readonly places?: ReadonlyMap<string, number>;
}

/**
 * Parses a text. A malformed text is a 400 with the parser's error, or with upstream's sentence for a request's body if `expectedKind` is
 * given.
 */
export function parseJson(text: string, expectedKind?: string): ParsedJson {
  const value = parse(text, expectedKind);
  if (countKeys(text) === countFields(value, 0)) return { value, duplicates: [] };
  const { duplicates, places } = scanJson(text);
  return { value, duplicates, places };
}

function parse(text: string, expectedKind: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const why = scanJson(text).error ?? "unexpected end of JSON input";
    if (expectedKind === undefined) throw ApiError.badRequest(why);
    throw unrecognized(expectedKind, `couldn't get version/kind; json parse error: ${why}`, text);
  }
}

/** Counts strings that a colon follows, in a well-formed text. */
function countKeys(text: string): number {
  let count = 0;
  let start = text.indexOf('"');
  while (start >= 0) {
    let next = endOfString(text, start) + 1;
    let code = text.charCodeAt(next);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = text.charCodeAt(++next);
    if (code === 58) count++;
    start = text.indexOf('"', next);
  }
  return count;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

function countFields(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > limits.jsonDepth) throw ApiError.badRequest("exceeded max depth");
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countFields(item, depth + 1);
    return count;
  }
  for (const key in value) count += 1 + countFields((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  return count;
}
