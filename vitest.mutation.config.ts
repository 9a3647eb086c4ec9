// The tests that a mutation run repeats for each mutant: those of one room, by SANDBAR_MUTATION_TESTS (globs, separated by commas).
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: (process.env.SANDBAR_MUTATION_TESTS ?? "").split(","), testTimeout: 60_000 },
});
