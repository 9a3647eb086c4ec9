// Backslash escapes in texts of shells and their programs.

/** Resolves the escapes of `$'...'`, `printf` and `echo -e`. */
export function unescaped(text: string): string {
  const letters: Record<string, string> = {
    n: "\n",
    t: "\t",
    r: "\r",
    a: "\x07",
    b: "\b",
    f: "\f",
    v: "\v",
    e: "\x1b",
  };
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|(.))/g, (escape, hex, octal, letter: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(String(hex), 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(String(octal), 8));
    return letters[letter] ?? (/[\\'"]/.test(letter) ? letter : String(escape));
  });
}
