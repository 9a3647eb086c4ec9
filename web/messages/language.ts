// Which of the languages that a text is there in its reader has.

/** English where theirs is not there. */
export function ofReader<T>(languages: { readonly en: T } & Readonly<Record<string, T>>): T {
  return languages[navigator.language.split("-")[0] ?? ""] ?? languages.en;
}
