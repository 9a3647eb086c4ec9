// The tests that Stryker runs against each mutant: those of one room, by SANDBAR_MUTATION_TESTS (globs, separated by blanks).
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: (process.env.SANDBAR_MUTATION_TESTS ?? "").split(" "),
    testTimeout: 60_000,
    // What the files of a room import is loaded once for all of them, not once for each.
    isolate: false,
  },
});
