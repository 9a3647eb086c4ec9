// YAML that a stranger wrote, as JSON values: bounded in nodes, depth and what aliases stand for, in time that grows with its length.
import { EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { limits } from "../../base/limits.ts";
import { Constructor, type DuplicateKey } from "./construct.ts";
import { upstreamError, YamlError } from "./errors.ts";

export interface YamlDocument {
  /** Null where there is nothing. */
  readonly value: unknown;
  /** Keys that are given twice, which strictness refuses. */
  readonly duplicates: readonly DuplicateKey[];
}

/** One of several in a text. */
export interface PlacedDocument extends YamlDocument {
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly start: number;
}

/** The first document of a text, as upstream's parser reads no more. Throws YamlError. */
export function readYaml(text: string): YamlDocument {
  for (const [document] of documentTexts(text)) return readOne(document);
  return { value: null, duplicates: [] };
}

/** All documents of a text, each read when it is asked for. Throws YamlError with the line of the whole text. */
export function* readYamlDocuments(text: string): Generator<PlacedDocument> {
  for (const [document, start] of documentTexts(text)) {
    const read = withLine(
      () => readOne(document),
      (line = 1) => lineAt(text, start) + line - 1,
    );
    yield { ...read, text: document, start };
  }
}

/** The line of a place in a text, from one. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function withLine<T>(body: () => T, lineOf: (line: number | undefined) => number): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof YamlError) throw new YamlError(error.message, lineOf(error.line));
    throw error;
  }
}

/** Directives of one document; each is compared with all before it. */
const maxDirectives = 100;

function readOne(text: string): YamlDocument {
  // These are refused wherever they stand, comments included.
  const control = text.search(/[\x00-\x08\x0b\x0c\x0e-\x1f]/);
  if (control >= 0) throw new YamlError("yaml: control characters are not allowed", lineAt(text, control));
  if ((text.match(/^%/gm)?.length ?? 0) > maxDirectives) throw new YamlError("yaml: too many directives");
  const constructor = new Constructor(text, limits.yamlNodes);
  withLine(
    () => {
      for (const event of yamlEvents(text)) constructor.take(event);
    },
    (line) => line ?? constructor.line,
  );
  const { value, duplicates } = constructor;
  return { value, duplicates };
}

/** What one document consists of, in order. Throws YamlError. */
export function yamlEvents(text: string): Event[] {
  try {
    const events = parseEvents(text, { maxDepth: countedDepth() });
    // A text that holds one document may end it and begin another without a marker that `documentTexts` knows.
    const next = events.findIndex(({ type }, at) => at > 0 && type === EVENT_ID.DOCUMENT);
    return next < 0 ? events : events.slice(0, next);
  } catch (error) {
    if (error instanceof YAMLException) throw upstreamError(error);
    throw error;
  }
}

/**
 * The library bounds nothing but depth, which it compares with its bound once for each node: so what is compared counts the nodes, and
 * ends the reading before they take memory.
 */
function countedDepth(): number {
  let nodes = 0;
  const bound = {
    valueOf: () => {
      nodes++;
      if (nodes <= limits.yamlNodes) return limits.jsonDepth;
      throw new YamlError(`yaml: document has more than ${limits.yamlNodes} nodes`);
    },
    toString: () => String(limits.jsonDepth),
  };
  // It is only compared and printed.
  return bound as unknown as number;
}

/**
 * The text of each document, with the marker and the directives before it. A line that begins with a marker ends whatever was before
 * it, in every context.
 */
function* documentTexts(text: string): Generator<readonly [text: string, start: number]> {
  const markers = /^(?:---|\.\.\.)(?=\s|$)/gm;
  let start = 0;
  let isBegun = false;
  for (const { 0: marker, index } of text.matchAll(markers)) {
    const isThere = isBegun || !isOnlyPreamble(text, start, index);
    if (isThere) yield [text.slice(start, index), start];
    isBegun = marker === "---";
    // What stands before the marker that begins a document is part of it.
    if (!isBegun) start = index + marker.length;
    else if (isThere) start = index;
  }
  yield [text.slice(start), start];
}

/** Nothing but directives, comments and empty lines. */
function isOnlyPreamble(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const lineEnd = text.indexOf("\n", at);
    const line = text.slice(at, lineEnd < 0 ? end : Math.min(lineEnd, end)).trim();
    if (line !== "" && !line.startsWith("%") && !line.startsWith("#")) return false;
    at = lineEnd < 0 ? end : lineEnd + 1;
  }
  return true;
}
