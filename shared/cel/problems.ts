// Errors of an expression as the API server prints them: the position, the line, and a mark below it.
export interface Problem {
  /** The offset in the source; -1 if the error has no position. */
  readonly at: number;
  readonly message: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const longestLine = 16_384;
/** The number of errors that upstream's `Errors` prints before it only counts them. */
export const mostProblems = 100;

export function problemsText(source: string, problems: readonly Problem[]): string {
  const lines = source.split("\n").map(newLine);
  const starts = startsOf(source);
  const placed = problems
    .slice(0, mostProblems)
    .map((problem) => ({ ...problem, place: placeOf(source, starts, problem.at) }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  const texts = placed.map(({ place, message }) => oneText(lines[place.line - 1], place, message));
  const left = problems.length - mostProblems;
  return [...texts, ...(left > 0 ? [`${left} more errors were truncated`] : [])].join("\n");
}

/** Returns the offsets at which lines begin. */
function startsOf(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function placeOf(source: string, starts: readonly number[], at: number): Place {
  // The end of an empty source is before the first line.
  if (source === "") return { line: 1, column: -1 };
  if (at < 0) return { line: -1, column: -1 };
  const next = starts.findIndex((start) => start > at);
  const line = next < 0 ? starts.length : next;
  const before = source.slice(starts[line - 1] ?? 0, at);
  const pairs = before.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return { line, column: before.length - pairs };
}

/** A line, with its printed form, which is computed once for all errors in it. */
interface Line {
  readonly text: string;
  printed?: { readonly chars: readonly string[]; readonly text: string; readonly marks: string };
}

function newLine(text: string): Line {
  return { text };
}

function shownLine(line: Line): NonNullable<Line["printed"]> {
  if (line.printed) return line.printed;
  const text = line.text.replaceAll("\t", " ");
  const chars = [...text];
  // The mark of a wide character is wide.
  line.printed = { chars, text, marks: chars.map((char) => (isWide(char) ? "\uff0e" : ".")).join("") };
  return line.printed;
}

function oneText(line: Line | undefined, { line: number, column }: Place, message: string): string {
  const head = `ERROR: <input>:${number}:${column + 1}: ${message}`;
  if (line === undefined || column < 0 || line.text.length > longestLine) return head;
  const { chars, text, marks } = shownLine(line);
  const last = chars[column];
  const mark = last !== undefined && isWide(last) ? "\uff3e" : "^";
  return `${head}\n | ${text}\n | ${marks.slice(0, column)}${mark}`;
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
