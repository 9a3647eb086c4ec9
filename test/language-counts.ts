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

  "test/base": [1, 16, 0],

  "test/cel": [2, 4, 0],

  "test/charges": [3, 1, 0],

  "test/client": [0, 11, 0],

  "test/clients": [2, 9, 0],

  "test/cluster": [2, 102, 0],

  "test/containers": [14, 175, 0],

  "test/contract": [0, 4, 0],

  "test/docs": [0, 6, 0],

  "test/edge": [32, 372, 2],

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

  "web/api": [7, 18, 0],

  "web/console": [13, 147, 0],

  "web/dock": [0, 6, 0],

  "web/embed": [17, 21, 1],

  "web/kubectl": [38, 318, 1],

  "web/learn": [7, 45, 0],

  "web/live": [9, 32, 0],

  "web/messages": [0, 9, 0],

  "web/objects": [29, 144, 0],

  "web/palette": [0, 5, 0],

  "web/parts": [9, 17, 0],

  "web/terminal": [21, 88, 1],

  "web/view": [7, 11, 0],

  worker: [4, 0, 2],

  "worker/cluster": [104, 237, 12],

  "worker/containers": [268, 1294, 9],

  "worker/kubelet": [33, 175, 3],

  "worker/machine": [5, 2, 0],
};
