// Aligns columns like Go's tabwriter: cells end at tabs, and a column is as wide as the widest cell of adjacent lines that share it.

export interface TabOptions {
  readonly minWidth: number;
  readonly padding: number;
  /** Reports whether columns stay at least as wide as in an earlier text. */
  readonly remembers?: boolean;
}

/** The columns of `kubectl get`. */
export const wideColumns: TabOptions = { minWidth: 6, padding: 3, remembers: true };
/** The columns of `kubectl describe`. */
export const describeColumns: TabOptions = { minWidth: 0, padding: 2 };

export interface TabWriter {
  /** Aligns whole lines whose cells end at tabs. */
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
        const columnWidths = remembers ? widths.map((width, at) => rememberedWidth(remembered, at, width)) : widths;
        for (const cells of lines.slice(from, to)) done.push(lineOf(cells, columnWidths));
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
  const columnWidth = Math.max(remembered[at] ?? 0, width);
  remembered[at] = columnWidth;
  return columnWidth;
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

/** Returns the width in characters, as Go counts them. */
function textWidth(text: string): number {
  return [...text].length;
}
