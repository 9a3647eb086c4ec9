// What is wrong with an expression, told as the API server tells it: the place, the line, and a mark below it.
export interface Problem {
  /** The offset in the source; -1 for none. */
  readonly at: number;
  readonly message: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const longestLine = 16_384;
/** Upstream's `Errors` reports no more, and says how many it left out. */
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

/** The offsets at which lines begin. */
function startsOf(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function placeOf(source: string, starts: readonly number[], at: number): Place {
  // The end of nothing is before the first line.
  if (source === "") return { line: 1, column: -1 };
  if (at < 0) return { line: -1, column: -1 };
  const next = starts.findIndex((start) => start > at);
  const line = next < 0 ? starts.length : next;
  const before = source.slice(starts[line - 1] ?? 0, at);
  const pairs = before.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return { line, column: before.length - pairs };
}

/** A line as it is shown, worked out once for all problems in it. */
interface Line {
  readonly text: string;
  shown?: { readonly chars: readonly string[]; readonly text: string; readonly marks: string };
}

function newLine(text: string): Line {
  return { text };
}

function shownLine(line: Line): NonNullable<Line["shown"]> {
  if (line.shown) return line.shown;
  const text = line.text.replaceAll("\t", " ");
  const chars = [...text];
  // A wide character is marked by a wide one.
  line.shown = { chars, text, marks: chars.map((char) => (isWide(char) ? "\uff0e" : ".")).join("") };
  return line.shown;
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
