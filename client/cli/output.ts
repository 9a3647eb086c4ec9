// How commands print what they were asked for.

export function printJson({ print }: { print(text: string): void }, value: unknown): void {
  print(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [head, ...rows].map((row) => `${line(row)}\n`).join("");
}
