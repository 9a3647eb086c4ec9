// Formats rows as the clients of databases print them.
import type { Cell } from "../wasm/sql.ts";

interface ResultRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

function cellText(cell: Cell, nothing: string): string {
  return cell === null ? nothing : String(cell);
}

/** Returns the width of a text on a screen. Letters of some scripts take two columns. */
function widthOf(text: string): number {
  return [...text].length;
}

function widths({ columns, rows }: ResultRows, nothing: string): number[] {
  return columns.map((name, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(cellText(row[at] ?? null, nothing))), widthOf(name)),
  );
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return isRight ? space + text : text + space;
}

function isNumeric({ rows }: ResultRows, at: number): boolean {
  const cells = rows.map((row) => row[at] ?? null).filter((cell) => cell !== null);
  return cells.length > 0 && cells.every((cell) => typeof cell === "number");
}

/** Formats rows in a box, for a terminal. */
export function printBoxed(result: ResultRows): string {
  const all = widths(result, "NULL");
  const line = `+${all.map((width) => "-".repeat(width + 2)).join("+")}+\n`;
  const row = (cells: readonly string[], isHead: boolean) =>
    `|${cells.map((text, at) => ` ${pad(text, all[at] ?? 0, !isHead && isNumeric(result, at))} `).join("|")}|\n`;
  const rows = result.rows
    .map((cells) =>
      row(
        cells.map((cell) => cellText(cell, "NULL")),
        false,
      ),
    )
    .join("");
  return `${line}${row(result.columns, true)}${line}${rows}${line}`;
}

/** Formats rows with tabs, for other programs. */
export function printTabbed({ columns, rows }: ResultRows, hasHead: boolean): string {
  const lines = rows.map((row) => row.map((cell) => cellText(cell, "NULL")).join("\t"));
  return [...(hasHead ? [columns.join("\t")] : []), ...lines].map((line) => `${line}\n`).join("");
}

/** Formats rows in aligned columns, below the title if there is one. */
export function printAligned(result: ResultRows, title?: string): string {
  const all = widths(result, "");
  const last = all.length - 1;
  const cell = (text: string, at: number) => {
    const isRight = isNumeric(result, at);
    if (at < last) return ` ${pad(text, all[at] ?? 0, isRight)} `;
    return ` ${isRight ? pad(text, all[at] ?? 0, true) : text}`;
  };
  const row = (cells: readonly string[]) => `${cells.map(cell).join("|")}\n`;
  const centre = (text: string, width: number) => {
    const left = Math.floor((width - widthOf(text)) / 2);
    return `${" ".repeat(left)}${text}${" ".repeat(Math.max(0, width - left - widthOf(text)))}`;
  };
  const head = `${result.columns.map((name, at) => ` ${centre(name, all[at] ?? 0)} `).join("|")}\n`;
  const line = `${all.map((width) => "-".repeat(width + 2)).join("+")}\n`;
  const totalWidth = all.reduce((sum, width) => sum + width + 3, -1);
  const above =
    title === undefined ? "" : `${" ".repeat(Math.max(0, Math.floor((totalWidth - title.length) / 2)))}${title}\n`;
  const lines = result.rows.map((cells) => row(cells.map((value) => cellText(value, "")))).join("");
  return `${above}${head}${line}${lines}(${result.rows.length} ${result.rows.length === 1 ? "row" : "rows"})\n\n`;
}

/** Formats rows without alignment; `-t` omits the names of the columns. */
export function printUnaligned({ columns, rows }: ResultRows, hasHead: boolean, separator = "|"): string {
  const lines = rows.map((row) => row.map((cell) => cellText(cell, "")).join(separator));
  const foot = hasHead ? [`(${rows.length} ${rows.length === 1 ? "row" : "rows"})`] : [];
  return [...(hasHead ? [columns.join(separator)] : []), ...lines, ...foot].map((line) => `${line}\n`).join("");
}

/** Formats rows with a line for each column of each row. */
export function printExpanded({ columns, rows }: ResultRows): string {
  if (rows.length === 0) return "(0 rows)\n\n";
  const left = columns.reduce((most, column) => Math.max(most, widthOf(column)), 0);
  const right = rows.reduce(
    (most, row) => row.reduce((widest: number, cell) => Math.max(widest, widthOf(cellText(cell, ""))), most),
    0,
  );
  const records = rows.map((row, at) => {
    const title = `-[ RECORD ${at + 1} ]`;
    const line =
      title.length > left + 1
        ? title.padEnd(left + right + 3, "-")
        : `${title.padEnd(left + 1, "-")}+${"-".repeat(right + 1)}`;
    const lines = columns.map((name, index) => `${pad(name, left, false)} | ${cellText(row[index] ?? null, "")}\n`);
    return `${line}\n${lines.join("")}`;
  });
  return `${records.join("")}\n`;
}

/** Formats rows with a line for each column, below a line with the number of the row. */
export function vertical({ columns, rows }: ResultRows): string {
  const left = columns.reduce((most, column) => Math.max(most, widthOf(column)), 0);
  return rows
    .map((row, at) => {
      const stars = "*".repeat(27);
      const lines = columns.map((name, index) => `${pad(name, left, true)}: ${cellText(row[index] ?? null, "NULL")}\n`);
      return `${stars} ${at + 1}. row ${stars}\n${lines.join("")}`;
    })
    .join("");
}
