// The common stories with random injected faults and clocks, forked, restored and evicted on the way: each step ends as without them.
import { describe, expect, test, vi } from "vitest";
import { type GivenFaults, pullFailures, putFaults } from "../../shared/contract/cluster/faults.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { problemsAtRest } from "./checks/catalogue.ts";
import { type Dice, diceOf } from "./dice.ts";
import { normalised } from "./normal.ts";
import { seeds } from "./seeds.ts";
import { stories, type Story } from "./stories.ts";
import { noFaults, World } from "./world.ts";

/** A story with faults has thousands of writes; a busy machine may take its time. */
vi.setConfig({ testTimeout: 120_000 });

type GivenFault = GivenFaults["faults"][number];

const losses = { evict: 0.1, kill: 0.05, stop: 0.05 };
const stopped = [
  ...["deployment-controller", "replicaset-controller", "statefulset-controller", "daemonset-controller"],
  ...[
    "garbage-collector-controller",
    "kube-scheduler",
    "kubelet",
    "node-lifecycle-controller",
    "taint-eviction-controller",
  ],
] as const;

function anyFault(dice: Dice): GivenFault {
  const selector = { namespace: "default", share: dice.choose(0.5, 1) };
  const end = { after: `${1 + dice.below(600)}s` };
  // A fork of a cluster without the node has no such node.
  const state = dice.choose("notReady", "partitioned", "diskPressure", "memoryPressure");
  const faults: readonly [GivenFault, ...GivenFault[]] = [
    { action: { stop: dice.choose(...stopped) }, end },
    { selector: { name: dice.choose("node-1", "node-2", "node-3") }, action: { node: state }, end },
    { selector, action: { container: dice.choose("kill", "oom") } },
    { selector, action: { pull: dice.choose(...pullFailures) }, end },
    { selector, action: { pullDelay: `${1 + dice.below(100)}s` }, end },
    { action: { compact: true } },
    { action: { clock: `${1 + dice.below(3600)}s` } },
  ];
  return dice.choose(...faults);
}

/** Sets the clock of the world as a user does. It runs in the end. */
function turnClock({ injected }: World, dice: Dice): void {
  const clock = injected?.clock;
  clock?.set({ speed: dice.choose(0.1, 1, 1, 7, 1000), state: dice.chance(0.1) ? "paused" : "running" });
}

/** Returns the state at the end of each step: without faults, or with those that follow from a seed. */
function tell(
  story: Story,
  seed: number | undefined,
): { readonly ends: string[]; readonly world: World; readonly log: string[] } {
  const dice = diceOf(seed ?? 0);
  const log: string[] = [];
  let world = new World({ seed: 1, isSeeded: true, isFaulty: true, zeroDelays: (seed ?? 0) % 2 === 0 });
  const ends = story.map((ask) => {
    world.turn(() => ask(world.client));
    if (seed !== undefined) world = disturb(world, dice, log);
    world.runUntilQuiet();
    deleteFailedPods(world);
    expect(problemsAtRest(world)).toEqual([]);
    return normalised(world.client).join("\n");
  });
  return { ends, world, log };
}

/** Lets faults happen for a while, and ends them. Returns the world in which the story goes on: a fork, or the same. */
function disturb(original: World, dice: Dice, log: string[]): World {
  let world = original;
  const requestRevision = world.cluster.registry.store.revision;
  for (let round = 0; round < 1 + dice.below(3); round++) {
    world.faults = { ...noFaults, ...losses };
    const faults = Array.from({ length: 1 + dice.below(3) }, () => anyFault(dice));
    world.turn(() => world.injected?.engine.set(putFaults.parse({ seed: dice.below(1000), faults })));
    turnClock(world, dice);
    world.pass(dice.choose(0, 400, 5000, 60_000, 600_000));
    log.push(...(world.injected?.engine.injections() ?? []).map((injection) => JSON.stringify(injection)));
    if (dice.chance(0.3)) world.turn(() => world.injected?.engine.clear());
    if (dice.chance(0.2)) world = new World({ seed: 2, isSeeded: true, isFaulty: true }, world.state());
    else if (dice.chance(0.2)) world.restore(revisionOf(world, requestRevision, dice));
  }
  world.faults = noFaults;
  world.turn(() => {
    world.injected?.engine.clear();
    world.injected?.clock.set({ speed: 1, state: "running" });
  });
  return world;
}

/** Returns one of the newest revisions that a user can restore, with the request. */
function revisionOf({ cluster }: World, requestRevision: number, dice: Dice): number {
  const { revision, began, compacted } = cluster.registry.store;
  return Math.max(revision - dice.below(20), requestRevision, began, compacted);
}

/** Deletes the pods that a node evicted or lost, as an administrator does: they stay until there are too many. */
function deleteFailedPods(world: World): void {
  world.turn(() => {
    for (const { metadata, status } of world.client.list(pods))
      if (status.phase === "Failed") world.client.delete(pods, metadata.namespace ?? "", metadata.name ?? "");
  });
  world.runUntilQuiet();
}

/** A Job counts pods that were evicted as failed. */
const repeatable = Object.entries(stories).filter(([title]) => !title.startsWith("a Job"));

describe.each(repeatable)("%s", (_, story) => {
  const calm = new Map<number, string[]>();
  const calmEnds = (seed: number) => {
    const ends = calm.get(seed % 2) ?? tell(story, undefined).ends;
    calm.set(seed % 2, ends);
    return ends;
  };

  test.for(seeds(3, []))("C4: seed %i ends in the same state with injected faults and other clocks", (seed) => {
    expect(tell(story, seed).ends).toEqual(calmEnds(seed));
  });
});

test("C4: two runs of one seed have the same log and the same injections, byte for byte", () => {
  for (const [, story] of repeatable.slice(0, 3)) {
    const [first, second] = [tell(story, 11), tell(story, 11)];
    expect(second.world.changes.map(({ text }) => text)).toEqual(first.world.changes.map(({ text }) => text));
    expect(second.log).toEqual(first.log);
    expect(first.log.length).toBeGreaterThan(0);
  }
});
