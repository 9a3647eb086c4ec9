// Computes differences of JSON values by path: `spec.containers[0].image`, `metadata.labels["a.b/c"]`.

export interface Difference {
  /** The changed values by path. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly removed: readonly string[];
}

type Step = string | number;
type Node = Record<Step, unknown>;

/** Computes the difference that turns `from` into `to`. */
export function difference(from: unknown, to: unknown): Difference {
  const set: Record<string, unknown> = {};
  const removed: string[] = [];
  compare(from, to, "", set, removed);
  return { set, removed };
}

/** Returns a copy with a difference applied. Missing parents are created. */
export function withDifference(value: unknown, { set, removed }: Difference): unknown {
  const root: Node = { "": structuredClone(value) };
  for (const [path, leaf] of Object.entries(set)) {
    const { parent, last } = walk(root, path);
    parent[last] = structuredClone(leaf);
  }
  // In reverse order, because removing a list item moves the following ones.
  for (const path of removed.toReversed()) {
    const { parent, last } = walk(root, path);
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else Reflect.deleteProperty(parent, last);
  }
  return root[""];
}

function compare(from: unknown, to: unknown, path: string, set: Record<string, unknown>, removed: string[]): void {
  if (isList(from) && isList(to)) {
    const childValues: Record<string, unknown> = {};
    const gone: string[] = [];
    for (const [index, item] of to.entries()) {
      if (index < from.length) compare(from[index], item, `${path}[${index}]`, childValues, gone);
      else childValues[`${path}[${index}]`] = item;
    }
    for (let index = to.length; index < from.length; index++) gone.push(`${path}[${index}]`);
    const isShorter = JSON.stringify([childValues, gone]).length < JSON.stringify(to).length + path.length;
    if (isShorter || (!Object.keys(childValues).length && !gone.length)) {
      Object.assign(set, childValues);
      removed.push(...gone);
    } else set[path] = to;
    return;
  }
  if (isObject(from) && isObject(to)) {
    for (const [key, entry] of Object.entries(to)) {
      if (key in from) compare(from[key], entry, below(path, key), set, removed);
      else set[below(path, key)] = entry;
    }
    for (const key of Object.keys(from)) if (!(key in to)) removed.push(below(path, key));
    return;
  }
  if (from !== to) set[path] = to;
}

function below(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path ? `${path}.${key}` : key;
}

function walk(root: Node, path: string): { parent: Node; last: Step } {
  const steps = ["", ...stepsOf(path)];
  const last = steps.pop() ?? "";
  let node = root;
  for (const [at, step] of steps.entries()) {
    node[step] ??= typeof (steps[at + 1] ?? last) === "number" ? [] : {};
    // Lists and objects are read in the same way.
    node = node[step] as Node;
  }
  return { parent: node, last };
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? String(JSON.parse(`"${quoted}"`)) : (plain ?? ""),
  );
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isList(value);
}
