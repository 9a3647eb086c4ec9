// Suggestions for a mistyped name: names within two edits of it, or with the same beginning.

export function nearest(typed: string, names: readonly string[]): string[] {
  const word = typed.toLowerCase();
  return names.filter((name) => distance(word, name.toLowerCase()) <= 2 || name.toLowerCase().startsWith(word));
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
