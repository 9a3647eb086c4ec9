// Whole clusters with random users, lost processes and failing writes, each from a seed.
import { describe, expect, test } from "vitest";
import { problemsAtRest } from "./checks/catalogue.ts";
import { live } from "./run.ts";
import { seeds } from "./seeds.ts";

describe("chaos", () => {
  test.for(seeds(40))("C1: seed %i comes to rest, and everything holds", (seed) => {
    const life = live({
      seed,
      faults: { evict: 0.1, kill: 0.05, refuse: 0.02 },
      wishes: 40,
      zeroDelays: seed % 3 !== 0,
    });
    expect({ problems: life.problems, atRest: problemsAtRest(life.world), wishes: life.wishes }).toEqual({
      problems: [],
      atRest: [],
      wishes: life.wishes,
    });
  });
});
