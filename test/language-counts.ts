// The number of breaches of the rules of `language.ts` that each room may still have: openings of doc comments, names and long sentences.
// The counts only fall. An empty line between the rooms lets two branches change neighbouring rooms without a conflict.
export const languageCounts: Readonly<Record<string, readonly [openings: number, names: number, sentences: number]>> = {
  client: [32, 129, 0],

  scripts: [41, 96, 8],

  "shared/cel": [31, 181, 1],

  "shared/contract": [0, 20, 0],

  "shared/k8s": [33, 78, 3],

  "shared/lesson": [0, 6, 0],

  "shared/schema": [70, 197, 10],

  "shared/shell": [76, 387, 0],

  "shared/state": [0, 1, 0],

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

  worker: [4, 0, 2],

  "worker/cluster": [104, 237, 12],

  "worker/containers": [269, 1294, 9],

  "worker/kubelet": [33, 175, 3],

  "worker/machine": [5, 2, 0],
};
