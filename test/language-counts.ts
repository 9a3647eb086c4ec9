// The number of breaches of the rules of `language.ts` that each room may still have: openings of doc comments, names and long sentences.
// The counts only fall. An empty line between the rooms lets two branches change neighbouring rooms without a conflict.
export const languageCounts: Readonly<Record<string, readonly [openings: number, names: number, sentences: number]>> = {
  test: [9, 42, 0],

  "test/base": [1, 0, 0],

  "test/cel": [2, 1, 0],

  "test/charges": [3, 0, 0],

  "test/clients": [2, 0, 0],

  "test/docs": [0, 1, 0],

  "test/fuzz": [3, 1, 0],

  "test/k8s": [0, 1, 0],

  "test/kubelet": [3, 0, 0],

  "test/lesson": [2, 0, 0],

  "test/parity": [5, 2, 3],

  "test/schema": [2, 1, 0],

  "test/scripts": [2, 0, 0],

  "test/service": [30, 4, 2],

  "test/simulation": [27, 3, 0],

  "test/tenant": [1, 0, 0],

  "test/web": [3, 2, 0],

  "test/workerd": [6, 2, 1],
};
