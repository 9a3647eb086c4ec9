// The words of a command line.

/** As a shell splits a line: by spaces, with quotes and backslashes. Nothing is put in place of anything. */
export function wordsIn(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === "\\" && quote !== "'" && at + 1 < line.length) word = (word ?? "") + (line[++at] ?? "");
    else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  return word === undefined ? words : [...words, word];
}
