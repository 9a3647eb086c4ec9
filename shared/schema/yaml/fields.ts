// Finds the positions of fields in a YAML document by their paths. Only error messages need them, so the document is parsed again.
import { EVENT_ID, getScalarValue } from "js-yaml";
import { placeOf } from "./construct.ts";
import { yamlEvents } from "./read.ts";

interface Node {
  readonly at: number;
  /** The entries of a map: each key's position and value. */
  readonly entries?: Map<string, Entry>;
  /** The items of a list. */
  readonly items?: Node[];
}

interface Entry {
  readonly at: number;
  readonly node: Node;
}

interface Frame {
  readonly node: Node;
  /** The key of a map whose value comes next. */
  key?: { readonly text: string; readonly at: number } | undefined;
}

/**
 * Returns the position of the key or item of each path, in the order of the paths (`spec.containers[0].image`, `data[a.b]`). If a path does
 * not exist, it is the position of its innermost existing ancestor, or of the document's first node. Values of aliases and merge keys have
 * their own position. Throws YamlError if the text is not valid.
 */
export function fieldPlaces(text: string, paths: readonly string[]): number[] {
  const root = treeOf(text);
  return paths.map((path) => (root ? placeIn(root, path) : 0));
}

function treeOf(text: string): Node | undefined {
  const frames: Frame[] = [];
  let root: Node | undefined;
  let at = 0;
  for (const event of yamlEvents(text)) {
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) {
      frames.pop();
      continue;
    }
    at = placeOf(event, at);
    const node: Node = {
      at,
      ...(event.type === EVENT_ID.MAPPING ? { entries: new Map() } : {}),
      ...(event.type === EVENT_ID.SEQUENCE ? { items: [] } : {}),
    };
    root ??= node;
    const frame = frames.at(-1);
    if (frame?.node.entries && !frame.key) {
      const isText = event.type === EVENT_ID.SCALAR;
      frame.key = { at, text: isText ? getScalarValue(text, event) : "" };
    } else if (frame) put(frame, node);
    if (node.entries ?? node.items) frames.push({ node });
  }
  return root;
}

function put(frame: Frame, node: Node): void {
  const { key } = frame;
  frame.node.items?.push(node);
  if (key) frame.node.entries?.set(key.text, { at: key.at, node });
  frame.key = undefined;
}

function placeIn(root: Node, path: string): number {
  let { at } = root;
  let node: Node | undefined = root;
  for (let rest = path; node && rest !== ""; ) {
    // Upstream's rules omit `metadata` from the paths of templates: `spec.template.labels`.
    const metadata: Node | undefined = node.entries?.get("metadata")?.node;
    const step: Step | undefined = stepOf(node, rest) ?? (metadata && stepOf(metadata, rest));
    if (!step) break;
    ({ at, node } = step.entry);
    rest = rest.slice(step.length).replace(/^\./, "");
  }
  return at;
}

interface Step {
  readonly entry: Entry;
  /** The number of characters of the path. */
  readonly length: number;
}

/** Returns the next step. Keys may contain dots and brackets: the longest key that exists is used. */
function stepOf({ entries, items }: Node, path: string): Step | undefined {
  if (items) {
    const [written, index] = /^\[(\d+)\]/.exec(path) ?? [];
    const node = items[Number(index)];
    return node && written !== undefined ? { entry: { at: node.at, node }, length: written.length } : undefined;
  }
  const isBracketed = path.startsWith("[");
  for (let end = path.length; end > 0; end--) {
    const isEnd = isBracketed ? path.charAt(end - 1) === "]" : end === path.length || /[.[]/.test(path.charAt(end));
    const entry = isEnd ? entries?.get(isBracketed ? path.slice(1, end - 1) : path.slice(0, end)) : undefined;
    if (entry) return { entry, length: end };
  }
  return undefined;
}
