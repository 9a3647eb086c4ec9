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

export function problemsText(source: string, problems: readonly Problem[]): string {
  const placed = problems.map((problem) => ({ ...problem, place: placeOf(source, problem.at) }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  const lines = source.split("\n");
  return placed.map(({ place, message }) => oneText(lines[place.line - 1], place, message)).join("\n");
}

function placeOf(source: string, at: number): Place {
  // The end of nothing is before the first line.
  if (source === "") return { line: 1, column: -1 };
  if (at < 0) return { line: -1, column: -1 };
  const before = source.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: [...before.slice(before.lastIndexOf("\n") + 1)].length };
}

function oneText(line: string | undefined, { line: number, column }: Place, message: string): string {
  const head = `ERROR: <input>:${number}:${column + 1}: ${message}`;
  if (line === undefined || column < 0 || line.length > longestLine) return head;
  const shown = [...line.replaceAll("\t", " ")];
  // A wide character is marked by a wide one.
  const marks = shown.slice(0, column).map((char) => (isWide(char) ? "\uff0e" : "."));
  const last = shown[column];
  const mark = last !== undefined && isWide(last) ? "\uff3e" : "^";
  return `${head}\n | ${shown.join("")}\n | ${marks.join("")}${mark}`;
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
