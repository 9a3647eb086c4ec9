// The number of breaches of the rules of `language.ts` that each room may still have: openings of doc comments, names and long sentences.
// The counts only fall. An empty line between the rooms lets two branches change neighbouring rooms without a conflict.
export const languageCounts: Readonly<Record<string, readonly [openings: number, names: number, sentences: number]>> = {
  test: [9, 42, 0],

  "test/base": [1, 16, 0],

  "test/cel": [2, 4, 0],

  "test/charges": [3, 1, 0],

  "test/client": [0, 11, 0],

  "test/clients": [2, 9, 0],

  "test/contract": [0, 4, 0],

  "test/docs": [0, 6, 0],

  "test/fuzz": [3, 12, 0],

  "test/k8s": [0, 3, 0],

  "test/kubectl-web": [0, 10, 0],

  "test/kubelet": [3, 70, 0],

  "test/lesson": [2, 9, 0],

  "test/parity": [5, 26, 3],

  "test/schema": [2, 26, 0],

  "test/scripts": [2, 29, 0],

  "test/service": [30, 124, 2],

  "test/simulation": [27, 70, 0],

  "test/state": [0, 15, 0],

  "test/tenant": [1, 4, 0],

  "test/upgrades": [0, 16, 0],

  "test/web": [3, 39, 0],

  "test/workerd": [6, 63, 1],

  worker: [1, 0, 0],

  "worker/cluster": [103, 233, 12],

  "worker/containers": [49, 113, 3],

  "worker/edge": [0, 2, 0],
};
