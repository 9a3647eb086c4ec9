// JSON values of the events of a document in YAML, as Go's parser (yaml.v2) and the step to JSON give them: keys become texts, the
// last of equal keys counts, aliases and merge keys are followed within upstream's bound.
import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { type JsonObject, setKey } from "../json-values.ts";
import { YamlError } from "./errors.ts";
import { goSyntax } from "./go-syntax.ts";
import { resolvePlain, resolveTagged, type Scalar } from "./scalars.ts";

/** As many as upstream tells of fields that stand twice in JSON. */
const maxDuplicates = 100;
/** Upstream's bound of what may come from aliases, in a document of up to 400,000 steps. */
const maxAliasRatio = 0.99;

export interface DuplicateKey {
  /** Of the document, from one. */
  readonly line: number;
  /** The key's path: `metadata.labels.app`, `spec.containers[0].image`. */
  readonly field: string;
  /** `key "k" already set in map`. */
  readonly message: string;
}

interface Node {
  readonly value: unknown;
  /** Steps of decoding it, with all that it stands for. */
  readonly steps: number;
  /** Of a scalar. */
  readonly type?: Scalar["type"];
  /** Of a map: its keys, each after its type. */
  readonly keys?: ReadonlySet<string>;
  /** A plain `<<`. */
  readonly isMerge?: boolean;
  /** Of a list: maps are merged in their order. */
  readonly items?: readonly Node[];
}

interface Frame {
  readonly value: JsonObject | unknown[];
  readonly anchor: string | undefined;
  steps: number;
  /** Of a map. */
  readonly keys?: Set<string>;
  key?: Node | undefined;
  /** Of a list that a merge key takes. */
  readonly items?: Node[];
}

export type Placed = Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

export class Constructor {
  readonly #source: string;
  readonly #maxSteps: number;
  readonly #frames: Frame[] = [];
  /** Undefined: its value is still being read. */
  readonly #anchors = new Map<string, Node | undefined>();
  readonly #handles = new Map<string, string>([["!!", "tag:yaml.org,2002:"]]);
  /** Up to a bound. */
  readonly duplicates: DuplicateKey[] = [];
  value: unknown = null;
  #steps = 1;
  #aliasSteps = 0;
  #position = 0;
  /** The line, from one, of a place in the source that is counted to. */
  #line = 1;
  #counted = 0;

  /** `maxSteps`: what the document may stand for, aliases followed. */
  constructor(source: string, maxSteps: number) {
    this.#source = source;
    this.#maxSteps = maxSteps;
  }

  /** The events of one document, in order. */
  take(event: Event): void {
    if (event.type === EVENT_ID.DOCUMENT) {
      for (const one of event.directives) if (one.kind === "tag") this.#handles.set(one.handle, one.prefix);
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
    // The document's own end.
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
    // Earlier ones of a list take precedence, so they come last.
    const maps = keys ? [{ keys, value }] : [...(items ?? [{ value: undefined, keys: undefined }])].reverse();
    for (const map of maps) {
      if (!map.keys) throw new YamlError("yaml: map merge requires map or sequence of maps as the value");
      // A map's value is an object.
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

  /** Empty for `!`, which says that a scalar is to be read as if it had no tag. */
  #fullTag(raw: string): string {
    if (raw === "!") return "";
    if (raw.startsWith("!<")) return raw.slice(2, -1);
    const end = raw.indexOf("!", 1) + 1;
    const handle = end > 0 ? raw.slice(0, end) : "!";
    return (this.#handles.get(handle) ?? handle) + raw.slice(handle.length);
  }

  #step(): void {
    this.#steps++;
    // The text alone has been bounded.
    if (this.#steps > this.#maxSteps && this.#aliasSteps > 0) throw excessiveAliasing();
  }

  /** Of a key of the innermost map. */
  #pathTo(key: string): string {
    let path = "";
    for (const { value, key: own } of this.#frames.slice(0, -1)) {
      if (Array.isArray(value)) path += `[${value.length}]`;
      else path += `${path === "" ? "" : "."}${String(own?.value)}`;
    }
    return `${path}${path === "" ? "" : "."}${key}`;
  }

  /** Of what was taken last, from one. */
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

/** Where a node begins; what is empty begins where the one before it does. */
export function placeOf(event: Placed, before: number): number {
  switch (event.type) {
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.SCALAR: {
      if (event.valueStart < 0) return before;
      const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
      // Its text begins on the line after its sign.
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

/** A key after its type: Go's maps tell `1` and `"1"` apart. */
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
