// The common stories, forked and restored on the way: from wherever they are taken up, they end as the original did from there.
import { describe, expect, test, vi } from "vitest";
import { problemsAtRest } from "./checks/catalogue.ts";
import { type Dice, diceOf } from "./dice.ts";
import { normalised } from "./normal.ts";
import { stories, type Story } from "./stories.ts";
import { type State, World } from "./world.ts";

/** A story has a hundred writes or more; a busy machine may take its time. */
vi.setConfig({ testTimeout: 120_000 });

const faults = { evict: 0.2, kill: 0.05, stop: 0.1 };
const forkLikelihood = 0.04;
const restoresOfStep = 2;

interface End {
  readonly of: string;
  readonly end: string;
  readonly problems: readonly string[];
}

function endOf(of: string, world: World): End {
  return { of, end: normalised(world.client).join("\n"), problems: problemsAtRest(world) };
}

/** Plays a story, and returns the expected end and the ends after each fork or restore on the way. */
function playStory(story: Story, dice: Dice): { readonly expected: string; readonly ends: readonly End[] }[] {
  let states: { readonly at: number; readonly state: State }[] | undefined;
  const world: World = new World({
    seed: 1,
    onChange: ({ revision }) => {
      if (dice.chance(forkLikelihood)) states?.push({ at: revision, state: world.state(true) });
    },
  });
  return story.map((ask) => {
    ask(world.client);
    const first = world.cluster.registry.store.revision;
    const taken = (states = [{ at: first, state: world.state() }]);
    world.runUntilQuiet();
    states = undefined;
    const last = world.cluster.registry.store.revision;
    const forks = taken.map(({ at, state }) => {
      return endOf(`forked at ${at}`, new World({ seed: 2, faults }, state));
    });
    const restored = Array.from({ length: restoresOfStep }, () => {
      const copy = new World({ seed: 3 }, world);
      const at = first + dice.below(last - first + 1);
      copy.restore(at);
      copy.faults = { ...copy.faults, ...faults };
      copy.runUntilQuiet();
      return endOf(`restored to ${at}`, copy);
    });
    return { expected: normalised(world.client).join("\n"), ends: [...forks, ...restored] };
  });
}

describe("F2 F3: a scenario with a fork or restore on the way, and evictions", () => {
  test.each(Object.entries(stories))("%s ends in the same state", (title, story) => {
    for (const { expected, ends } of playStory(story, diceOf(title.length))) {
      expect(ends.length).toBeGreaterThan(restoresOfStep);
      for (const { of, end, problems } of ends)
        expect({ of, end, problems }).toEqual({ of, end: expected, problems: [] });
    }
  });
});
