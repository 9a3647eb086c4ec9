// The command that repeats a finding of `sandbar test-operator`.

/** The options that decide how a plan runs, in the order in which they are printed. */
const repeatedOptions = ["crds", "workload", "mask", "invariant", "speed", "quiet", "limit"];

/** `texts`: returns the values of an option as the user gave them. */
export function repeatCommand(
  plan: string,
  texts: (option: string) => readonly string[],
  words: readonly string[],
): string {
  const options = repeatedOptions.flatMap((option) => texts(option).map((value) => `--${option} ${quoted(value)}`));
  return ["sandbar test-operator", `--plan ${quoted(plan)}`, ...options, "--", ...words.map(quoted)].join(" ");
}

/** Quotes a word for a POSIX shell if it needs quotes. */
function quoted(word: string): string {
  return /^[\w./:=@{}-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
