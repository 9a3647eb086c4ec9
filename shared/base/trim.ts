// Ends of texts, in time that grows with what is cut: a regular expression for the same looks at every place anew.

/** The text without any of these letters at its end. */
export function trimmedEnd(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text without any of these letters at its end and its beginning. */
export function trimmed(text: string, letters: string): string {
  let from = 0;
  while (from < text.length && letters.includes(text.charAt(from))) from++;
  return trimmedEnd(text.slice(from), letters);
}

/** What stands before the first of these letters; all of it if there is none. */
export function before(text: string, letters: string): string {
  let end = 0;
  while (end < text.length && !letters.includes(text.charAt(end))) end++;
  return text.slice(0, end);
}
