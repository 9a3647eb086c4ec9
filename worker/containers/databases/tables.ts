// Rows as the clients of databases print them.
import type { Cell } from "../wasm/sql.ts";

interface Found {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

function shown(cell: Cell, nothing: string): string {
  return cell === null ? nothing : String(cell);
}

/** Columns that it takes on a screen, which letters of some scripts take two of. */
function widthOf(text: string): number {
  return [...text].length;
}

function widths({ columns, rows }: Found, nothing: string): number[] {
  return columns.map((name, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(shown(row[at] ?? null, nothing))), widthOf(name)),
  );
}

function padded(text: string, width: number, isRight: boolean): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return isRight ? space + text : text + space;
}

function isNumeric({ rows }: Found, at: number): boolean {
  const cells = rows.map((row) => row[at] ?? null).filter((cell) => cell !== null);
  return cells.length > 0 && cells.every((cell) => typeof cell === "number");
}

/** Rows in a box, for a person at a terminal. */
export function boxed(found: Found): string {
  const all = widths(found, "NULL");
  const line = `+${all.map((one) => "-".repeat(one + 2)).join("+")}+\n`;
  const row = (cells: readonly string[], isHead: boolean) =>
    `|${cells.map((one, at) => ` ${padded(one, all[at] ?? 0, !isHead && isNumeric(found, at))} `).join("|")}|\n`;
  const rows = found.rows
    .map((cells) =>
      row(
        cells.map((one) => shown(one, "NULL")),
        false,
      ),
    )
    .join("");
  return `${line}${row(found.columns, true)}${line}${rows}${line}`;
}

/** Rows with tabs, for another program. */
export function tabbed({ columns, rows }: Found, hasHead: boolean): string {
  const lines = rows.map((row) => row.map((one) => shown(one, "NULL")).join("\t"));
  return [...(hasHead ? [columns.join("\t")] : []), ...lines].map((line) => `${line}\n`).join("");
}

/** Rows in aligned columns, below the title if there is one. */
export function aligned(found: Found, title?: string): string {
  const all = widths(found, "");
  const last = all.length - 1;
  const cell = (text: string, at: number) => {
    const isRight = isNumeric(found, at);
    if (at < last) return ` ${padded(text, all[at] ?? 0, isRight)} `;
    return ` ${isRight ? padded(text, all[at] ?? 0, true) : text}`;
  };
  const row = (cells: readonly string[]) => `${cells.map(cell).join("|")}\n`;
  const centred = (text: string, width: number) => {
    const left = Math.floor((width - widthOf(text)) / 2);
    return `${" ".repeat(left)}${text}${" ".repeat(Math.max(0, width - left - widthOf(text)))}`;
  };
  const head = `${found.columns.map((name, at) => ` ${centred(name, all[at] ?? 0)} `).join("|")}\n`;
  const line = `${all.map((one) => "-".repeat(one + 2)).join("+")}\n`;
  const whole = all.reduce((sum, one) => sum + one + 3, -1);
  const above =
    title === undefined ? "" : `${" ".repeat(Math.max(0, Math.floor((whole - title.length) / 2)))}${title}\n`;
  const lines = found.rows.map((cells) => row(cells.map((one) => shown(one, "")))).join("");
  return `${above}${head}${line}${lines}(${found.rows.length} ${found.rows.length === 1 ? "row" : "rows"})\n\n`;
}

/** Rows without alignment; `-t` leaves out the names of the columns. */
export function unaligned({ columns, rows }: Found, hasHead: boolean, separator = "|"): string {
  const lines = rows.map((row) => row.map((one) => shown(one, "")).join(separator));
  const foot = hasHead ? [`(${rows.length} ${rows.length === 1 ? "row" : "rows"})`] : [];
  return [...(hasHead ? [columns.join(separator)] : []), ...lines, ...foot].map((line) => `${line}\n`).join("");
}

/** A line for each column of each row. */
export function expanded({ columns, rows }: Found): string {
  if (rows.length === 0) return "(0 rows)\n\n";
  const left = columns.reduce((most, one) => Math.max(most, widthOf(one)), 0);
  const right = rows.reduce(
    (most, row) => row.reduce((own: number, one) => Math.max(own, widthOf(shown(one, ""))), most),
    0,
  );
  const records = rows.map((row, at) => {
    const title = `-[ RECORD ${at + 1} ]`;
    const line =
      title.length > left + 1
        ? title.padEnd(left + right + 3, "-")
        : `${title.padEnd(left + 1, "-")}+${"-".repeat(right + 1)}`;
    const lines = columns.map((name, index) => `${padded(name, left, false)} | ${shown(row[index] ?? null, "")}\n`);
    return `${line}\n${lines.join("")}`;
  });
  return `${records.join("")}\n`;
}

/** A line for each column of each row, below a line with the number of the row. */
export function vertical({ columns, rows }: Found): string {
  const left = columns.reduce((most, one) => Math.max(most, widthOf(one)), 0);
  return rows
    .map((row, at) => {
      const stars = "*".repeat(27);
      const lines = columns.map((name, index) => `${padded(name, left, true)}: ${shown(row[index] ?? null, "NULL")}\n`);
      return `${stars} ${at + 1}. row ${stars}\n${lines.join("")}`;
    })
    .join("");
}
