// Paths that the schema must declare: selectable fields and the `fieldPath` of rules (upstream: cel.ValidFieldPath).
import { type FieldPath, rootPath } from "../../k8s/field.ts";
import type { SchemaNode } from "./node.ts";

export interface KnownPath {
  readonly path: FieldPath;
  /** The first name of the path. */
  readonly root: string;
  /** The schema at the path; undefined if the schema does not declare it. */
  readonly node: SchemaNode | undefined;
}

/** Parses a path such as `.spec.color` or `.spec['a.b']`. Returns upstream's error if it is not valid. */
export function knownPath(text: string, schema: SchemaNode, allowsBrackets = true): KnownPath | { error: string } {
  const tokens = tokensOf(text);
  let path: FieldPath = rootPath;
  let root = "";
  let node: SchemaNode | undefined = schema;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    if (token !== "." && token !== "[") return { error: `expected [ or . but got: ${token}` };
    if (token === "[" && !allowsBrackets) return { error: "array notation is not allowed" };
    const next = tokens[++at];
    if (next === undefined) return { error: "unexpected end of JSON path" };
    const isQuoted = next.length >= 2 && next.startsWith("'") && next.endsWith("'");
    if (token === "[" && !isQuoted) return { error: `expected single quoted string but got ${next}` };
    const name = token === "[" ? next.slice(1, -1).replaceAll("\\'", "'").replaceAll("\\\\", "\\") : next;
    const step = stepInto(node, name, path);
    if (!step) return { error: "does not refer to a valid field" };
    [path, node] = [step.path, step.node];
    root ||= name;
    if (token !== "[") continue;
    const end = tokens[++at];
    if (end === undefined) return { error: "unexpected end of JSON path" };
    if (end !== "]") return { error: `expected ] but got ${end}` };
  }
  return { path, root, node };
}

function stepInto(node: SchemaNode | undefined, name: string, path: FieldPath) {
  if (!node) return undefined;
  if (node.props.properties !== undefined) {
    const field = node.property(name);
    return field && { path: path.child(name), node: field };
  }
  const additional = node.additional();
  if (additional === undefined) return undefined;
  return { path: path.key(name), node: typeof additional === "object" ? additional : undefined };
}

/** Splits at delimiters, which are tokens themselves. Quoted texts are one token. */
function tokensOf(text: string): string[] {
  return text.match(/[.[\]]|'(?:[^'\\]|\\.)*'|[^.[\]]+/g) ?? [];
}
