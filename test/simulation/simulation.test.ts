// Whole clusters with random users, lost processes and failing writes, each from a seed that a failing test names.
import { describe, expect, test, vi } from "vitest";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { problemsAtRest } from "./checks/catalogue.ts";
import { normalised } from "./normal.ts";
import { evictOften } from "./evictions.ts";
import { rollOut } from "./rollout.ts";
import { type Life, live } from "./run.ts";
import { seeds } from "./seeds.ts";
import { mostUnits, worst } from "../turns.ts";
import { noFaults, World } from "./world.ts";

/** A life takes a fraction of a second; a busy machine may take its time. */
vi.setConfig({ testTimeout: 60_000 });

const chaos = { evict: 0.1, kill: 0.05, stop: 0.05, refuse: 0.02 };

function chaoticLife(seed: number): Life {
  return live({ seed, faults: chaos, wishes: 20, zeroDelays: seed % 3 !== 0 });
}

describe("random users with lost processes and failing writes", () => {
  const happened = { evicted: 0, killed: 0, stopped: 0, refused: 0 };
  const lives = seeds(16);

  test.for(lives)("C1: seed %i becomes idle, and all invariants hold", (seed) => {
    const life = chaoticLife(seed);
    const { wishes, problems, world } = life;
    happened.evicted += world.happened.evicted;
    happened.killed += world.happened.killed;
    happened.stopped += world.happened.stopped;
    happened.refused += world.happened.refused;
    expect({ problems, atRest: problemsAtRest(world), wishes }).toEqual({ problems: [], atRest: [], wishes });
  });

  test("have the same history with the same seed", () => {
    const [firstLife, secondLife] = [chaoticLife(7), chaoticLife(7)];
    expect(firstLife.world.changes.map(({ text }) => text)).toEqual(secondLife.world.changes.map(({ text }) => text));
    expect(firstLife.world.changes.length).toBeGreaterThan(300);
  });

  test("B2: use turns close to, and never past, their bound in counted work", () => {
    // Each was checked as it ran.
    console.info(`the worst turn: ${JSON.stringify(worst)}`);
    expect(worst.units).toBeGreaterThan(mostUnits / 10);
    expect(worst.units).toBeLessThanOrEqual(mostUnits);
  });

  test("meet each fault, without which the simulation would prove nothing", () => {
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(lives.length / 6);
  });
});

describe("the same users with and without faults", () => {
  test.for(seeds(6))("C2: seed %i ends in the same state, however often its process is lost", (seed) => {
    const options = { seed, wishes: 30, themes: ["deployments"] as const, zeroDelays: seed % 2 === 0, isOrderly: true };
    const calm = live({ ...options, faults: noFaults });
    const hard = live({ ...options, faults: { evict: 0.3, kill: 0.15, stop: 0.15, refuse: seed % 4 > 1 ? 0.05 : 0 } });
    expect(normalised(hard.world.client)).toEqual(normalised(calm.world.client));
  });
});

describe("users whose changes are compacted before they are read", () => {
  const happened = { compacted: 0, evicted: 0 };
  const faults = { compact: 0.3, evict: 0.1 };
  const lives = seeds(4);

  test.for(lives)("Q10: seed %i becomes idle, and all invariants hold", (seed) => {
    const { wishes, problems, world } = live({ seed, faults, wishes: 20, zeroDelays: seed % 2 === 0 });
    happened.compacted += world.happened.compacted;
    happened.evicted += world.happened.evicted;
    expect({ problems, atRest: problemsAtRest(world), wishes }).toEqual({ problems: [], atRest: [], wishes });
  });

  test.for(seeds(2))("Q10: seed %i ends in the same state as with a complete log", (seed) => {
    const options = { seed, wishes: 30, themes: ["deployments"] as const, isOrderly: true };
    const calm = live({ ...options, faults: noFaults });
    const hard = live({ ...options, faults });
    expect(normalised(hard.world.client)).toEqual(normalised(calm.world.client));
  });

  test("Q10: meet both compacted logs and lost processes", () => {
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(lives.length);
  });
});

describe("rollouts with lost processes", () => {
  test.for(seeds(6))("C2: seed %i keeps within surge and unavailability at every moment", (seed) => {
    expect(rollOut(seed)).toEqual([]);
  });
});

describe("evictions with lost processes and failing writes", () => {
  const happened = { done: 0, refused: 0 };
  const lives = seeds(8);

  test.for(lives)("C2: seed %i never has fewer healthy pods than the budget requires", (seed) => {
    const { problems, done, refused } = evictOften(seed);
    happened.done += done;
    happened.refused += refused;
    expect(problems).toEqual([]);
  });

  test("include allowed and refused evictions", () => {
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(lives.length);
  });
});

describe("acknowledged writes", () => {
  test("C3: in a turn before a killed one are stored once, at their revision", () => {
    const world = new World({ seed: 1, faults: { evict: 0.2, kill: 0.3, refuse: 0 } });
    const answered = new Map<string, string>();
    for (let index = 0; index < 200; index++) {
      world.turn(() => {
        const createdMap = world.client.create(configMaps, { metadata: { namespace: "default", generateName: "c-" } });
        // A killed turn's answer is never sent: only the last word for this index counts.
        answered.set(String(index), `${createdMap.metadata.name ?? ""} ${createdMap.metadata.resourceVersion ?? ""}`);
      });
    }
    world.reopen();
    const createdMaps = world.client
      .list(configMaps, { namespace: "default" })
      .filter(({ metadata }) => metadata.generateName);
    expect(
      createdMaps.map(({ metadata }) => `${metadata.name ?? ""} ${metadata.resourceVersion ?? ""}`).sort(),
    ).toEqual([...answered.values()].sort());
    expect(world.happened.killed).toBeGreaterThan(20);
  });
});
