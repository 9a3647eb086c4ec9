// Changes as `git diff` prints them.
import type { Change } from "../changes.ts";
import { type Edit, editsOf, splitLines } from "../lines/edits.ts";
import type { Paint } from "../paint.ts";
import { type Repository, shortOf } from "../repository.ts";

const noFile = "0000000";
const longestHeading = 80;

export interface PatchOptions {
  readonly paint: Paint;
  /** The number of unchanged lines around each change. */
  readonly context: number;
}

export async function patchText(
  repository: Repository,
  changes: readonly Change[],
  options: PatchOptions,
): Promise<string> {
  let text = "";
  for (const change of changes)
    text += filePatch(change, await repository.text(change.from), await repository.text(change.to), options);
  return text;
}

function filePatch(change: Change, fromText: string, toText: string, options: PatchOptions): string {
  const { path, kind, oldPath = path } = change;
  const mode = kind === "A" ? "new file mode 100644\n" : kind === "D" ? "deleted file mode 100644\n" : "";
  const ids = `${kind === "A" ? noFile : shortOf(change.from ?? "")}..${kind === "D" ? noFile : shortOf(change.to ?? "")}`;
  const head =
    kind === "R"
      ? `similarity index 100%\nrename from ${oldPath}\nrename to ${path}\n`
      : `${mode}index ${ids}${kind === "M" ? " 100644" : ""}\n`;
  const [from, to] = [splitLines(fromText), splitLines(toText)];
  const edits = editsOf(from, to);
  const names =
    edits.length === 0
      ? ""
      : `--- ${kind === "A" ? "/dev/null" : `a/${oldPath}`}\n+++ ${kind === "D" ? "/dev/null" : `b/${path}`}\n`;
  const heading = `diff --git a/${oldPath} b/${path}\n${head}${names}`;
  return (
    painted(options.paint, heading) +
    hunksOf(edits, options.context)
      .map((hunk) => hunkText(hunk, from, to, options))
      .join("")
  );
}

function painted(paint: Paint, text: string): string {
  return text.replaceAll(/.+/g, (line) => paint("bold", line));
}

/** Groups the edits whose surroundings touch. */
function hunksOf(edits: readonly Edit[], context: number): Edit[][] {
  const hunks: Edit[][] = [];
  for (const edit of edits) {
    const last = hunks.at(-1);
    const end = last?.at(-1)?.fromEnd;
    if (last && end !== undefined && edit.fromStart - end <= 2 * context) last.push(edit);
    else hunks.push([edit]);
  }
  return hunks;
}

function hunkText(
  edits: readonly Edit[],
  from: readonly string[],
  to: readonly string[],
  { paint, context }: PatchOptions,
): string {
  const [first, last] = [edits[0], edits.at(-1)];
  if (!first || !last) return "";
  const before = Math.min(context, first.fromStart);
  const after = Math.min(context, from.length - last.fromEnd);
  const start = first.fromStart - before;
  const lines: string[] = [];
  const add = (mark: string, texts: readonly string[], begin: number, end: number) => {
    for (let at = begin; at < end; at++) lines.push(mark + (texts[at] ?? ""));
  };
  let at = start;
  for (const { fromStart, fromEnd, toStart, toEnd } of edits) {
    add(" ", from, at, fromStart);
    add("-", from, fromStart, fromEnd);
    add("+", to, toStart, toEnd);
    at = fromEnd;
  }
  add(" ", from, at, at + after);
  const ranges = [rangeOf(start, last.fromEnd + after), rangeOf(first.toStart - before, last.toEnd + after)];
  const heading = headingBefore(from, start);
  const body = lines.map((line) => {
    const color = line.startsWith("-") ? "red" : line.startsWith("+") ? "green" : undefined;
    const text = color ? paint(color, line.replace(/\n$/, "")) : line.replace(/\n$/, "");
    return line.endsWith("\n") ? `${text}\n` : `${text}\n\\ No newline at end of file\n`;
  });
  return `${paint("cyan", `@@ -${ranges[0] ?? ""} +${ranges[1] ?? ""} @@`)}${heading && ` ${heading}`}\n${body.join("")}`;
}

function rangeOf(start: number, end: number): string {
  const count = end - start;
  const first = count === 0 ? start : start + 1;
  return count === 1 ? String(first) : `${first},${count}`;
}

/** Returns the last line before the hunk that begins with a letter, as git shows functions. */
function headingBefore(lines: readonly string[], start: number): string {
  const line = lines.slice(0, start).findLast((text) => /^[A-Za-z_$]/.test(text));
  return line?.slice(0, longestHeading).trimEnd() ?? "";
}
