// Parses YAML of strangers into JSON. Nodes, depth and aliases are limited, and the time grows linearly with the length.
import { EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { limits } from "../../base/limits.ts";
import { Constructor, type DuplicateKey } from "./construct.ts";
import { upstreamError, YamlError } from "./errors.ts";

export interface YamlDocument {
  /** Null for an empty document. */
  readonly value: unknown;
  /** Duplicate keys, which strict validation refuses. */
  readonly duplicates: readonly DuplicateKey[];
}

/** A document of a text that may have several. */
export interface PlacedDocument extends YamlDocument {
  readonly text: string;
  /** The position of the document in the text. */
  readonly start: number;
}

/** Parses the first document of a text; upstream ignores the others. Throws YamlError. */
export function readYaml(text: string): YamlDocument {
  for (const [document] of documentTexts(text)) return readOne(document);
  return { value: null, duplicates: [] };
}

/** Yields all documents of a text, parsed on demand. Throws YamlError with the line in the text. */
export function* readYamlDocuments(text: string): Generator<PlacedDocument> {
  for (const [document, start] of documentTexts(text)) {
    const read = withLine(
      () => readOne(document),
      (line = 1) => lineAt(text, start) + line - 1,
    );
    yield { ...read, text: document, start };
  }
}

/** Returns the line of a position, from one. */
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

/** The limit of directives of one document; each is compared with all before it. */
const maxDirectives = 100;

function readOne(text: string): YamlDocument {
  // Control characters are refused everywhere, even in comments.
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

/** Returns the events of one document. Throws YamlError. */
export function yamlEvents(text: string): Event[] {
  try {
    const events = parseEvents(text, { maxDepth: countedDepth() });
    // A document may end and another begin without a marker that `documentTexts` recognizes.
    const next = events.findIndex(({ type }, at) => at > 0 && type === EVENT_ID.DOCUMENT);
    return next < 0 ? events : events.slice(0, next);
  } catch (error) {
    if (error instanceof YAMLException) throw upstreamError(error);
    throw error;
  }
}

/**
 * Returns a limit of depth that counts nodes. The library limits only the depth, which it compares once for each node. So this value counts
 * the comparisons, and ends parsing before the nodes exhaust memory.
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
  // The library only compares and prints the value.
  return bound as unknown as number;
}

/**
 * Yields the text of each document, with its marker and directives. A line that begins with a marker ends the previous document in every
 * context. For example, the lines `a`, `---`, `b`, `...`, `c` yield three documents. A document that starts with `---` may be empty. Other text
 * is a document only if it has content.
 */
function* documentTexts(text: string): Generator<readonly [text: string, start: number]> {
  const markers = /^(?:---|\.\.\.)(?=\s|$)/gm;
  let start = 0;
  let hasStartMarker = false;
  for (const { 0: marker, index } of text.matchAll(markers)) {
    const hasContent = hasStartMarker || !isOnlyPreamble(text, start, index);
    if (hasContent) yield [text.slice(start, index), start];
    hasStartMarker = marker === "---";
    // Text before the marker that begins a document is part of it.
    if (!hasStartMarker) start = index + marker.length;
    else if (hasContent) start = index;
  }
  yield [text.slice(start), start];
}

/** Reports whether the text has only directives, comments and empty lines. */
function isOnlyPreamble(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const lineEnd = text.indexOf("\n", at);
    const line = text.slice(at, lineEnd < 0 ? end : Math.min(lineEnd, end)).trim();
    if (line !== "" && !line.startsWith("%") && !line.startsWith("#")) return false;
    at = lineEnd < 0 ? end : lineEnd + 1;
  }
  return true;
}
