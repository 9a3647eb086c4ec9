// Columns of text as Go's tabwriter aligns them: cells end at tabs, and a column is as wide as the widest cell of the lines that share it.

export interface TabOptions {
  readonly minWidth: number;
  readonly padding: number;
  /** Columns never become narrower than they were in an earlier text. */
  readonly remembers?: boolean;
}

/** `kubectl get`'s columns. */
export const wideColumns: TabOptions = { minWidth: 6, padding: 3, remembers: true };
/** `kubectl describe`'s. */
export const describeColumns: TabOptions = { minWidth: 0, padding: 2 };

export interface TabWriter {
  /** The text, whole lines of it, with its tabs as columns. */
  align(text: string): string;
  forget(): void;
}

export function newTabWriter({ minWidth, padding, remembers = false }: TabOptions): TabWriter {
  const remembered: number[] = [];
  return {
    forget: () => void remembered.splice(0),
    align: (text) => {
      const lines = text.split("\n").map((line) => line.split("\t"));
      const widths: number[] = [];
      const done: string[] = [];
      const write = (from: number, to: number) => {
        const shown = remembers ? widths.map((width, at) => rememberedWidth(remembered, at, width)) : widths;
        for (const cells of lines.slice(from, to)) done.push(lineOf(cells, shown));
      };
      const format = (start: number, end: number) => {
        const column = widths.length;
        let from = start;
        for (let at = start; at < end; at++) {
          if (column >= (lines[at]?.length ?? 0) - 1) continue;
          write(from, at);
          from = at;
          let width = minWidth;
          for (; at < end && column < (lines[at]?.length ?? 0) - 1; at++) {
            width = Math.max(width, textWidth(lines[at]?.[column] ?? "") + padding);
          }
          widths.push(width);
          format(from, at);
          widths.pop();
          from = at;
          at -= 1;
        }
        write(from, end);
      };
      format(0, lines.length);
      return done.join("\n");
    },
  };
}

function rememberedWidth(remembered: number[], at: number, width: number): number {
  const shown = Math.max(remembered[at] ?? 0, width);
  remembered[at] = shown;
  return shown;
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => {
      const width = widths[at];
      return width === undefined || at >= cells.length - (at < widths.length ? 0 : 1)
        ? cell
        : cell + " ".repeat(Math.max(0, width - textWidth(cell)));
    })
    .join("");
}

/** In characters, as Go counts them. */
function textWidth(text: string): number {
  return [...text].length;
}
