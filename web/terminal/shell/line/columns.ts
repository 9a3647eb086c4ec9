// Words in columns, as `ls` and completion show them.

export interface Cell {
  readonly text: string;
  readonly isStrong?: boolean;
}

/** Read from top to bottom; ends with a newline where there is anything. */
export function inColumns(cells: readonly Cell[], width: number): string {
  const widest = Math.max(0, ...cells.map(({ text }) => text.length)) + 2;
  const columns = Math.max(1, Math.floor(width / widest));
  const rows = Math.ceil(cells.length / columns);
  let made = "";
  for (let row = 0; row < rows; row++) {
    const line = cells.filter((_, at) => at % rows === row);
    made += line
      .map(({ text, isStrong }, at) => {
        const shown = isStrong ? `\x1b[1;34m${text}\x1b[0m` : text;
        return at === line.length - 1 ? shown : shown + " ".repeat(widest - text.length);
      })
      .join("");
    made += "\n";
  }
  return made;
}
