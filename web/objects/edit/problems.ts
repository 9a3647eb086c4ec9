// What is wrong with an edited text and at which line: what YAML says, and what the server says of fields. Knows no page.
import { LineCounter, type Document, isCollection, isMap, isNode, isPair, parseDocument } from "yaml";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { Status } from "../../kubectl/errors.ts";
import { texts as all } from "../../messages/status.ts";

const texts = all.problems;

export interface Problem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export type Parsed =
  | { readonly object: JsonObject; readonly problems?: undefined }
  | { readonly object?: undefined; readonly problems: readonly Problem[] };

export function parseObject(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const errors = document.errors.map(({ message, pos: [at] }) => ({ line: lines.linePos(at).line, message }));
  if (errors.length > 0) return { problems: errors };
  const value: unknown = document.toJS();
  return isObject(value) ? { object: value } : { problems: [{ line: 1, message: texts.thisIsNo }] };
}

/** Each at the line of its field, or of what is nearest to it. */
export function problemsOf({ message = "", details }: Status, text: string): Problem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (path: string) => lineOf(document, lines, segments(path));
  const causes = (details?.causes ?? []).filter(({ field }) => field);
  if (causes.length > 0) {
    return causes.map(({ field = "", message: said = "" }) => ({ line: at(field), message: `${field}: ${said}` }));
  }
  const unknown = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)];
  if (unknown.length > 0) {
    return unknown.map(([said, , path = ""]) => ({ line: at(path), message: said }));
  }
  // Errors of server-side apply, such as `.spec.nonsense: field not declared in schema`.
  const undeclared = [...message.matchAll(/(?<=\s)\.(\S{1,400}): ((?:field not declared|expected )[^\n]*)/g)];
  if (undeclared.length > 0) {
    return undeclared.map(([, path = "", said = ""]) => ({ line: at(path), message: `${path}: ${said}` }));
  }
  const typed = /Go struct field \w+\.([\w.]+) of type (\S+)/.exec(message);
  return [{ line: typed ? at(typed[1] ?? "") : 1, message }];
}

/** Of `spec.containers[0].image` and `metadata.labels[app.kubernetes.io/name]`. */
export function segments(path: string): (string | number)[] {
  // What stands in brackets has dots of its own, so it is what lies between each pair of them.
  return path.split("[").flatMap((part, at) => {
    const end = at === 0 ? -1 : part.indexOf("]");
    const inside = part.slice(0, Math.max(0, end)).replaceAll('"', "");
    const key = /^\d+$/.test(inside) ? Number(inside) : inside;
    const names = part
      .slice(end + 1)
      .split(".")
      .filter(Boolean);
    return end < 0 ? names : [key, ...names];
  });
}

function lineOf(document: Document.Parsed, lines: LineCounter, path: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((one) => isPair(one) && isNode(one.key) && String(one.key) === String(step));
      if (!pair) break;
      // The key's place, where its own value stands on a line of its own.
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isCollection(node)) {
      node = node.items[Number(step)];
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}
