// The common stories, stopped after each of their writes in turn: whatever was not yet done or noted, they end the same.
import { describe, expect, test, vi } from "vitest";
import { problemsAtRest } from "./checks/catalogue.ts";
import { normalised } from "./normal.ts";
import { World } from "./world.ts";
import { stories, type Story } from "./stories.ts";

/** A story has a hundred writes or more; a busy machine may take its time. */
vi.setConfig({ testTimeout: 120_000 });

/** The states in which the copies end that are taken after each write of a story, and the state in which it ends itself. */
function playStory(story: Story): { ends: ReadonlyMap<string, string>; problems: readonly string[] }[] {
  let copies: World[] | undefined;
  const world: World = new World({ seed: 1, onChange: () => copies?.push(new World({ seed: 2 }, world)) });
  return story.map((ask) => {
    ask(world.client);
    const taken: World[] = (copies = [new World({ seed: 2 }, world)]);
    world.runUntilQuiet();
    copies = undefined;
    const expected = normalised(world.client).join("\n");
    const ends = new Map<string, string>();
    for (const [at, copy] of taken.entries()) {
      const end = normalised(copy.client).join("\n");
      if (end !== expected) ends.set(`stopped after write ${at}`, end);
    }
    return { ends, problems: problemsAtRest(world) };
  });
}

describe("C2: a scenario that is stopped after any write", () => {
  test.each(Object.entries(stories))("%s ends in the same state", (_, story) => {
    for (const { ends, problems } of playStory(story)) {
      expect([...ends]).toEqual([]);
      expect(problems).toEqual([]);
    }
  });
});
