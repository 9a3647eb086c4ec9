// Targets with the faults that the fuzzer looks for.
import type { Target } from "./target.ts";

export const targets: readonly Target[] = [
  {
    name: "throws",
    corpus: ["axb"],
    words: ["x"],
    share: 50,
    run: (input) => {
      if (input.includes("x")) throw new TypeError("x is read as an object");
    },
  },
  {
    name: "hangs",
    corpus: ["a"],
    words: [],
    share: 1,
    run: () => {
      // Nothing but the watchdog ends it.
      for (;;) Math.random();
    },
  },
];
