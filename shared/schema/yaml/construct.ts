// Builds JSON from the events of a YAML document, like Go's parser (yaml.v2) and its conversion to JSON. Keys become texts, the last of
// equal keys counts, and aliases and merge keys are resolved within upstream's limit.
import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { type JsonObject, setKey } from "../json-values.ts";
import { YamlError } from "./errors.ts";
import { goSyntax } from "./go-syntax.ts";
import { resolvePlain, resolveTagged, type Scalar } from "./scalars.ts";

/** The number of duplicate keys that are reported, as for JSON. */
const maxDuplicates = 100;
/** Upstream's limit of the share of steps that may come from aliases, in a document of up to 400,000 steps. */
const maxAliasRatio = 0.99;

export interface DuplicateKey {
  /** The line of the document, from one. */
  readonly line: number;
  /** The key's path: `metadata.labels.app`, `spec.containers[0].image`. */
  readonly field: string;
  /** `key "k" already set in map`. */
  readonly message: string;
}

interface Node {
  readonly value: unknown;
  /** The number of steps that decoding takes, including those of aliases. */
  readonly steps: number;
  readonly type?: Scalar["type"];
  /** The keys of a map, each prefixed with its type. */
  readonly keys?: ReadonlySet<string>;
  /** Whether this is a plain `<<`. */
  readonly isMerge?: boolean;
  /** The items of a list, whose maps a merge key merges in order. */
  readonly items?: readonly Node[];
}

interface Frame {
  readonly value: JsonObject | unknown[];
  readonly anchor: string | undefined;
  steps: number;
  /** The keys of a map. */
  readonly keys?: Set<string>;
  key?: Node | undefined;
  /** The items of a list that is the value of a merge key. */
  readonly items?: Node[];
}

export type Placed = Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

export class Constructor {
  readonly #source: string;
  readonly #maxSteps: number;
  readonly #frames: Frame[] = [];
  /** Nodes by anchor; undefined while the value is still being read. */
  readonly #anchors = new Map<string, Node | undefined>();
  readonly #handles = new Map<string, string>([["!!", "tag:yaml.org,2002:"]]);
  /** The first duplicates, up to a limit. */
  readonly duplicates: DuplicateKey[] = [];
  value: unknown = null;
  #steps = 1;
  #aliasSteps = 0;
  #position = 0;
  /** The line, from one, of the position up to which lines were counted. */
  #line = 1;
  #counted = 0;

  /** `maxSteps`: the limit of steps, including those of aliases. */
  constructor(source: string, maxSteps: number) {
    this.#source = source;
    this.#maxSteps = maxSteps;
  }

  /** Takes the next event of the document. */
  take(event: Event): void {
    if (event.type === EVENT_ID.DOCUMENT) {
      for (const handle of event.directives) if (handle.kind === "tag") this.#handles.set(handle.handle, handle.prefix);
    } else if (event.type === EVENT_ID.POP) {
      this.#close();
    } else {
      this.#position = placeOf(event, this.#position);
      this.#step();
      this.#open(event);
    }
  }

  #open(event: Placed): void {
    const anchor = event.anchorStart < 0 ? undefined : this.#source.slice(event.anchorStart, event.anchorEnd);
    switch (event.type) {
      case EVENT_ID.ALIAS:
        return this.#add(this.#alias(anchor ?? ""));
      case EVENT_ID.SCALAR: {
        const scalar = this.#scalar(event);
        if (anchor !== undefined) this.#anchors.set(anchor, scalar);
        return this.#add(scalar);
      }
      case EVENT_ID.MAPPING:
        this.#frames.push({ value: {}, anchor, steps: 1, keys: new Set() });
        break;
      case EVENT_ID.SEQUENCE: {
        const isMerged = this.#frames.at(-1)?.key?.isMerge ?? false;
        this.#frames.push({ value: [], anchor, steps: 1, ...(isMerged ? { items: [] } : {}) });
      }
    }
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
  }

  #close(): void {
    const frame = this.#frames.pop();
    // The end of the document has no frame.
    if (!frame) return;
    const { value, steps, keys, items, anchor } = frame;
    const node: Node = { value, steps, ...(keys ? { keys } : {}), ...(items ? { items } : {}) };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    this.#add(node);
  }

  #add(node: Node): void {
    const frame = this.#frames.at(-1);
    if (!frame) {
      this.value = valueOf(node);
      return;
    }
    frame.steps += node.steps;
    const { value, key } = frame;
    if (Array.isArray(value)) {
      value.push(valueOf(node));
      frame.items?.push(node);
    } else if (!key) {
      if (!node.isMerge) refuseKey(node);
      frame.key = node;
    } else {
      frame.key = undefined;
      if (key.isMerge) this.#merge(frame, value, node);
      else this.#set(frame, value, keyOf(key, node), valueOf(node));
    }
  }

  #set({ keys }: Frame, object: JsonObject, key: string, value: unknown): void {
    if (keys?.has(key) && this.duplicates.length < maxDuplicates) {
      const message = `key ${shownKey(key)} already set in map`;
      this.duplicates.push({ line: this.line, field: this.#pathTo(textOfKey(key)), message });
    }
    keys?.add(key);
    setKey(object, textOfKey(key), value);
  }

  #merge(frame: Frame, object: JsonObject, { keys, items, value }: Node): void {
    // Earlier maps of a list take precedence, so they are assigned last.
    const maps = keys ? [{ keys, value }] : [...(items ?? [{ value: undefined, keys: undefined }])].reverse();
    for (const map of maps) {
      if (!map.keys) throw new YamlError("yaml: map merge requires map or sequence of maps as the value");
      // The value of a map is an object.
      const from = map.value as JsonObject;
      for (const key of map.keys) {
        this.#step();
        this.#set(frame, object, key, from[textOfKey(key)]);
      }
    }
  }

  #alias(name: string): Node {
    if (!this.#anchors.has(name)) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    const node = this.#anchors.get(name);
    if (!node) throw new YamlError(`yaml: anchor '${name}' value contains itself`);
    this.#steps += node.steps;
    this.#aliasSteps += node.steps;
    const isMany = this.#aliasSteps > 100 && this.#steps > 1000 && this.#aliasSteps / this.#steps > maxAliasRatio;
    if (isMany || this.#steps > this.#maxSteps) throw excessiveAliasing();
    const { isMerge: _, ...rest } = node;
    return { ...rest, steps: node.steps + 1 };
  }

  #scalar(event: ScalarEvent): Node {
    const text = getScalarValue(this.#source, event);
    const tag = event.tagStart < 0 ? "" : this.#fullTag(this.#source.slice(event.tagStart, event.tagEnd));
    const isPlain = event.style === SCALAR_STYLE.PLAIN || (tag === "" && event.tagStart >= 0);
    if (tag !== "") return { ...resolveTagged(tag, text), steps: 1, isMerge: text === "<<" && /:merge$/.test(tag) };
    if (!isPlain) return { type: "string", value: text, steps: 1 };
    if (text === "<<") return { type: "string", value: text, steps: 1, isMerge: true };
    return { ...resolvePlain(text), steps: 1 };
  }

  /** Returns the full tag; "" for `!`, with which a scalar is read as if it had no tag. */
  #fullTag(raw: string): string {
    if (raw === "!") return "";
    if (raw.startsWith("!<")) return raw.slice(2, -1);
    const end = raw.indexOf("!", 1) + 1;
    const handle = end > 0 ? raw.slice(0, end) : "!";
    return (this.#handles.get(handle) ?? handle) + raw.slice(handle.length);
  }

  #step(): void {
    this.#steps++;
    // Only the length of the text is limited so far.
    if (this.#steps > this.#maxSteps && this.#aliasSteps > 0) throw excessiveAliasing();
  }

  /** Returns the path of a key of the innermost map. */
  #pathTo(key: string): string {
    let path = "";
    for (const { value, key: parentKey } of this.#frames.slice(0, -1)) {
      if (Array.isArray(value)) path += `[${value.length}]`;
      else path += `${path === "" ? "" : "."}${String(parentKey?.value)}`;
    }
    return `${path}${path === "" ? "" : "."}${key}`;
  }

  /** The line of the last event, from one. */
  get line(): number {
    // Events come in the order of the source.
    for (let at = this.#source.indexOf("\n", this.#counted); at >= 0 && at < this.#position; ) {
      this.#line++;
      this.#counted = at + 1;
      at = this.#source.indexOf("\n", this.#counted);
    }
    return this.#line;
  }
}

function excessiveAliasing(): YamlError {
  return new YamlError("yaml: document contains excessive aliasing");
}

/** Returns the start of a node. An empty node starts where the one before it does. */
export function placeOf(event: Placed, before: number): number {
  switch (event.type) {
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.SCALAR: {
      if (event.valueStart < 0) return before;
      const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
      // The text of a block scalar begins on the line after its indicator.
      return isBlock ? event.valueStart - 1 : event.valueStart;
    }
    default:
      return event.start;
  }
}

function valueOf({ type, value }: Node): unknown {
  if (type === "float" && !Number.isFinite(value)) throw new YamlError(`json: unsupported value: ${infinite(value)}`);
  return value;
}

function infinite(value: unknown): string {
  if (Number.isNaN(value)) return "NaN";
  return value === Number.POSITIVE_INFINITY ? "+Inf" : "-Inf";
}

function refuseKey({ type, value }: Node): void {
  if (type === undefined) throw new YamlError(`yaml: invalid map key: ${goSyntax(value)}`);
}

/** Returns a key prefixed with its type, because Go's maps distinguish `1` and `"1"`. */
function keyOf({ type = "string", value }: Node, { value: member }: Node): string {
  if (type === "null") {
    throw new YamlError(`Unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(member)}`);
  }
  if (type !== "float" || Number.isFinite(value)) return `${type}:${String(value)}`;
  return `${type}:${{ NaN: ".nan", "+Inf": ".inf", "-Inf": "-.inf" }[infinite(value)] ?? ""}`;
}

function textOfKey(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

function shownKey(key: string): string {
  const text = textOfKey(key);
  return key.startsWith("string:") ? JSON.stringify(text) : text;
}
