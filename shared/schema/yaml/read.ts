// YAML that a stranger wrote, as JSON values: bounded in nodes, depth and what aliases stand for, in time that grows with its length.
import { EVENT_ID, parseEvents, YAMLException } from "js-yaml";
import { limits } from "../../base/limits.ts";
import { Constructor } from "./construct.ts";
import { upstreamError, YamlError } from "./errors.ts";

export interface YamlDocument {
  /** Null where there is nothing. */
  readonly value: unknown;
  /** What strictness says of keys that are given twice: `line 7: key "k" already set in map`. */
  readonly duplicates: readonly string[];
}

/** The first document of a text, as upstream's parser reads no more. Throws YamlError. */
export function readYaml(text: string): YamlDocument {
  for (const document of documentTexts(text)) return readOne(document);
  return { value: null, duplicates: [] };
}

/** All documents of a text, each read when it is asked for. Throws YamlError. */
export function* readYamlDocuments(text: string): Generator<YamlDocument> {
  for (const document of documentTexts(text)) yield readOne(document);
}

/** Directives of one document; each is compared with all before it. */
const maxDirectives = 100;

function readOne(text: string): YamlDocument {
  // These are refused wherever they stand, comments included.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(text)) throw new YamlError("yaml: control characters are not allowed");
  if ((text.match(/^%/gm)?.length ?? 0) > maxDirectives) throw new YamlError("yaml: too many directives");
  const constructor = new Constructor(text, limits.yamlNodes);
  for (const event of eventsOf(text)) constructor.take(event);
  const { value, duplicates } = constructor;
  return { value, duplicates };
}

function eventsOf(text: string) {
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
function* documentTexts(text: string): Generator<string> {
  const markers = /^(?:---|\.\.\.)(?=\s|$)/gm;
  let start = 0;
  let isBegun = false;
  for (const { 0: marker, index } of text.matchAll(markers)) {
    const isThere = isBegun || !isOnlyPreamble(text, start, index);
    if (isThere) yield text.slice(start, index);
    isBegun = marker === "---";
    // What stands before the marker that begins a document is part of it.
    if (!isBegun) start = index + marker.length;
    else if (isThere) start = index;
  }
  yield text.slice(start);
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
