// Where in a YAML document a line stands, by its indentation: also while it is being typed and no parser could read it.
import type { Step } from "../shell/schema.ts";

export interface YamlPlace {
  /** The keys and items round the line. */
  readonly path: readonly Step[];
  readonly apiVersion: string;
  readonly kind: string;
  /** Keys that the object has already. */
  readonly siblings: readonly string[];
}

interface Line {
  /** Columns of the dashes before the key. */
  readonly dashes: readonly number[];
  /** The column of the key, or of whatever stands there. */
  readonly indent: number;
  readonly key: string | undefined;
}

function lineOf(text: string): Line | undefined {
  const blanks = /^ */.exec(text)?.[0].length ?? 0;
  let at = blanks;
  const dashes: number[] = [];
  while (/^-(?: |$)/.test(text.slice(at))) {
    dashes.push(at);
    at += 1 + (/^-( *)/.exec(text.slice(at))?.[1]?.length ?? 0);
  }
  if (text.slice(at).startsWith("#") || (text.trim() === "" && dashes.length === 0)) return undefined;
  const [, quoted, plain] = /^(?:"([^"]*)"|'?([^\s:'"][^:'"]*)'?):(?:\s|$)/.exec(text.slice(at)) ?? [];
  return { dashes, indent: at, key: quoted ?? plain };
}

/** `column` is where the typed text begins; `number` counts from 0. */
export function placeOf(text: string, number: number, column: number): YamlPlace {
  const lines = text.split("\n");
  let start = number;
  while (start > 0 && !/^---(?:\s|$)/.test(lines[start] ?? "")) start--;
  let end = number + 1;
  while (end < lines.length && !/^---(?:\s|$)/.test(lines[end] ?? "")) end++;
  const document = lines.slice(start, end);
  const valueOf = (key: string) => new RegExp(`^${key}: *["']?([^"'#\\s]+)`, "m").exec(document.join("\n"))?.[1] ?? "";
  const current = lineOf(lines[number] ?? "");
  const path: Step[] = [];
  const siblings: string[] = [];
  let indent = column;
  for (const dash of [...(current?.dashes ?? [])].reverse()) {
    path.unshift({ item: true });
    indent = dash;
  }
  let isItemOver = path.length > 0;
  /** Still within the object of the line. */
  let isOwn = !isItemOver;
  // Keys of the same object below.
  if (!isItemOver || path.length === 1) siblings.push(...keysBelow(document.slice(number - start + 1), column));
  for (let at = number - 1; at >= start; at--) {
    const line = lineOf(lines[at] ?? "");
    if (!line) continue;
    if (!isItemOver && line.indent === indent && line.key !== undefined) {
      if (isOwn) siblings.push(line.key);
      if (line.dashes.length === 0) continue;
    } else if (
      line.key === undefined ||
      line.indent > indent ||
      (line.indent === indent && !(isItemOver && line.dashes.length === 0))
    )
      continue;
    else {
      path.unshift(line.key);
      indent = line.indent;
      isItemOver = false;
      isOwn = false;
      if (line.dashes.length === 0) continue;
    }
    for (const dash of [...line.dashes].reverse()) {
      path.unshift({ item: true });
      indent = dash;
    }
    isItemOver = true;
    isOwn = false;
  }
  return { path, apiVersion: valueOf("apiVersion"), kind: valueOf("kind"), siblings };
}

function keysBelow(lines: readonly string[], column: number): string[] {
  const keys: string[] = [];
  for (const text of lines) {
    const line = lineOf(text);
    if (!line) continue;
    if (line.dashes.length > 0 ? (line.dashes[0] ?? 0) < column : line.indent < column) break;
    if (line.indent === column && line.dashes.length === 0 && line.key !== undefined) keys.push(line.key);
  }
  return keys;
}
