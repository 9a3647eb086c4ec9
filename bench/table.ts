// The measured figures, and their table.

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The ratio to the bare baseline's figure, if there is one. */
  readonly ratio?: number;
  /** The limit of the figure; undefined if it is only reported. */
  readonly bar?: { readonly text: string; readonly met: boolean };
}

export function atMost(value: number, limit: number, unit: string): Figure["bar"] {
  return { text: `≤ ${limit} ${unit}`, met: value <= limit };
}

export function atLeastRatio(ratio: number, limit: number): Figure["bar"] {
  return { text: `ratio ≥ ${limit}`, met: ratio >= limit };
}

export function printTable(figures: readonly Figure[]): void {
  const rows = [
    ["figure", "value", "unit", "ratio", "bar", ""],
    ...figures.map(({ what, value, unit, ratio, bar }) => [
      what,
      formatValue(value),
      unit,
      ratio === undefined ? "" : ratio.toFixed(2),
      bar?.text ?? "",
      bar === undefined ? "" : bar.met ? "ok" : "MISSED",
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

function formatValue(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value < 1 ? 3 : 1);
}
