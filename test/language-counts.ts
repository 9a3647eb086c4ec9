// The number of breaches of the rules of `language.ts` that each room may still have: openings of doc comments, names and long sentences.
// The counts only fall. An empty line between the rooms lets two branches change neighbouring rooms without a conflict.
export const languageCounts: Readonly<Record<string, readonly [openings: number, names: number, sentences: number]>> =

};
