// What stands in a field one a line, or with commas between.

export function wordsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}
