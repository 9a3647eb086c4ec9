// Arranges words in columns, as `ls` and completion print them.

export interface Cell {
  readonly text: string;
  readonly isStrong?: boolean;
}

/** Fills the columns from top to bottom. Ends with a newline unless there are no cells. */
export function inColumns(cells: readonly Cell[], width: number): string {
  const widest = Math.max(0, ...cells.map(({ text }) => text.length)) + 2;
  const columns = Math.max(1, Math.floor(width / widest));
  const rows = Math.ceil(cells.length / columns);
  let lines = "";
  for (let row = 0; row < rows; row++) {
    const line = cells.filter((_, at) => at % rows === row);
    lines += line
      .map(({ text, isStrong }, at) => {
        const styled = isStrong ? `\x1b[1;34m${text}\x1b[0m` : text;
        return at === line.length - 1 ? styled : styled + " ".repeat(widest - text.length);
      })
      .join("");
    lines += "\n";
  }
  return lines;
}
