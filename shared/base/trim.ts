// Trims texts in time linear in the removed part, unlike a regular expression.

/** Returns the text without these letters at its end. */
export function trimmedEnd(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns the text without these letters at both ends. */
export function trimmed(text: string, letters: string): string {
  let from = 0;
  while (from < text.length && letters.includes(text.charAt(from))) from++;
  return trimmedEnd(text.slice(from), letters);
}

/** Returns the text before the first of these letters, or all of it. */
export function before(text: string, letters: string): string {
  let end = 0;
  while (end < text.length && !letters.includes(text.charAt(end))) end++;
  return text.slice(0, end);
}
