// Tables as Go's `tabwriter` formats them with kubeadm's parameters: columns of at least ten characters, three blanks apart.
const least = 10;
const between = 3;

/** Formats rows of cells. Each column but the last is padded to its widest cell. */
export function tabbed(rows: readonly (readonly string[])[], width = least, padding = between): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(width, ...rows.map((row) => (at < row.length - 1 ? (row[at] ?? "").length + padding : 0))),
  );
  return rows
    .map((row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join("")}\n`)
    .join("");
}

/** Formats a duration as upstream's `ShortHumanDuration`. */
export function shortDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  if (seconds < 86_400 * 365) return `${Math.floor(seconds / 86_400)}d`;
  return `${Math.floor(seconds / 86_400 / 365)}y`;
}
