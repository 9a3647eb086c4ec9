// JSON as the API reads it: the platform's own parser for speed, and a second look only where a body is malformed or a
// field stands twice, which that parser does not tell.
import { limits } from "../base/limits.ts";
import { ApiError } from "../k8s/status.ts";
import { scanJson } from "./json-scan.ts";
import { unrecognized } from "./wording.ts";

export interface ParsedJson {
  readonly value: unknown;
  /** The paths of fields that stand twice: `metadata.labels.a`. */
  readonly duplicates: string[];
  /** See `Scan`; absent where nothing stands twice. */
  readonly places?: ReadonlyMap<string, number>;
}

/**
 * A malformed text is a 400 that carries the parser's words, or, given the kind that the path wants, upstream's whole
 * sentence for a request's body.
 */
export function parseJson(text: string, wanted?: string): ParsedJson {
  const value = parse(text, wanted);
  if (countKeys(text) === countFields(value, 0)) return { value, duplicates: [] };
  const { duplicates, places } = scanJson(text);
  return { value, duplicates, places };
}

function parse(text: string, wanted: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const why = scanJson(text).error ?? "unexpected end of JSON input";
    if (wanted === undefined) throw ApiError.badRequest(why);
    throw unrecognized(wanted, `couldn't get version/kind; json parse error: ${why}`, text);
  }
}

/** Strings of a well-formed text that a colon follows. */
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
