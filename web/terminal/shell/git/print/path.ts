// Paths with unusual characters, as git prints them: in quotes, with escapes and the octal bytes of other letters than ASCII.

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};

/** Returns the path, quoted if it needs to be. With `quotesSpaces` a space is a reason, too. */
export function pathText(path: string, quotesSpaces = false): string {
  const escaped = path.replaceAll(/["\\]|[^ -~]/gu, (letter) => {
    const short = escapes[letter];
    if (short !== undefined) return `\\${short}`;
    return [...new TextEncoder().encode(letter)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  });
  return escaped !== path || (quotesSpaces && path.includes(" ")) ? `"${escaped}"` : path;
}
