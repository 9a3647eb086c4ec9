// Finds the lines of problems in an edited text: YAML errors, and the server's errors of fields. Independent of the page.
import { LineCounter, type Document, isCollection, isMap, isNode, isPair, parseDocument } from "yaml";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { Status } from "../../kubectl/errors.ts";
import { texts as all } from "../../messages/status.ts";

const texts = all.problems;

export interface Problem {
  /** The line number, from 1. */
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
  return isObject(value) ? { object: value } : { problems: [{ line: 1, message: texts.notAnObject }] };
}

/** Returns each problem at the line of its field, or of the nearest parent in the text. */
export function problemsOf({ message = "", details }: Status, text: string): Problem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (path: string) => lineOf(document, lines, segments(path));
  const causes = (details?.causes ?? []).filter(({ field }) => field);
  if (causes.length > 0) {
    return causes.map(({ field = "", message: causeText = "" }) => ({
      line: at(field),
      message: `${field}: ${causeText}`,
    }));
  }
  const unknown = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)];
  if (unknown.length > 0) {
    return unknown.map(([problem, , path = ""]) => ({ line: at(path), message: problem }));
  }
  // Errors of server-side apply, such as `.spec.nonsense: field not declared in schema`.
  const undeclared = [...message.matchAll(/(?<=\s)\.(\S{1,400}): ((?:field not declared|expected )[^\n]*)/g)];
  if (undeclared.length > 0) {
    return undeclared.map(([, path = "", problem = ""]) => ({ line: at(path), message: `${path}: ${problem}` }));
  }
  const typed = /Go struct field \w+\.([\w.]+) of type (\S+)/.exec(message);
  return [{ line: typed ? at(typed[1] ?? "") : 1, message }];
}

/** Splits a field path, such as `spec.containers[0].image` or `metadata.labels[app.kubernetes.io/name]`. */
export function segments(path: string): (string | number)[] {
  // Keys in brackets may contain dots, so the path is split at brackets first.
  return path.split("[").flatMap((piece, at) => {
    const end = at === 0 ? -1 : piece.indexOf("]");
    const inside = piece.slice(0, Math.max(0, end)).replaceAll('"', "");
    const key = /^\d+$/.test(inside) ? Number(inside) : inside;
    const names = piece
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
      const pair = node.items.find((entry) => isPair(entry) && isNode(entry.key) && String(entry.key) === String(step));
      if (!pair) break;
      // The position of the key, if the value begins on its own line.
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
