// Simulates the history of a cluster: users act while processes are lost, and then the faults stop.
import { problemsOfChange } from "./checks/change-invariants.ts";
import { diceOf } from "./dice.ts";
import { quotaProblems } from "./checks/bounds.ts";
import { repair } from "./repair.ts";
import { anyThemes, anyWish, type Theme } from "./users/catalogue.ts";
import { ask } from "./users/wish.ts";
import { type Faults, noFaults, World } from "./world.ts";

export interface Life {
  readonly world: World;
  /** The actions of the users, for the message of a failing test. */
  readonly wishes: readonly string[];
  /** The rules that did not hold at some moment. */
  readonly problems: readonly string[];
}

export interface LifeOptions {
  readonly seed: number;
  readonly faults: Partial<Faults>;
  readonly wishes: number;
  readonly zeroDelays?: boolean;
  /** Each wish waits until nothing is due at its moment: two lives differ then only by their faults. */
  readonly isOrderly?: boolean;
  /** See `WorldOptions`. */
  readonly isSeeded?: boolean;
  /** The kinds of actions that users take. Undefined: drawn at random. */
  readonly themes?: readonly Theme[];
}

const repairAfterMs = 60_000;
const repairs = 3;
const pausesMs = [0, 0, 0, 1, 400, 1000, 2500, 10_000, 45_000, 700_000];

export function live(options: LifeOptions): Life {
  const { seed, faults, wishes: count, zeroDelays = true, isOrderly = false, isSeeded = false } = options;
  const dice = diceOf(seed);
  const themes = options.themes ?? anyThemes(dice);
  const wishes: string[] = [];
  const problems: string[] = [];
  const world: World = new World({
    seed,
    faults,
    zeroDelays,
    isSeeded,
    onChange: (change, client) => {
      for (const problem of problemsOfChange(change, client, world.clock.nowMs()))
        problems.push(`${change.revision}: ${problem}`);
    },
  });
  for (let index = 0; index < count; index++) {
    const wish = anyWish(dice, themes);
    wishes.push(wish.text);
    world.turn(() => ask(wish, world.client));
    if (isOrderly) world.settle();
    world.pass(dice.pick(pausesMs) ?? 0);
  }
  world.faults = noFaults;
  world.pass(repairAfterMs);
  // While they bound something: in the end they are lifted.
  problems.push(...quotaProblems(world.client, world.clock.nowMs()));
  // A pod of a set whose template was broken may come back as broken once.
  for (let round = 0; round < repairs; round++) {
    world.turn(() => repair(world.client));
    world.pass(repairAfterMs);
  }
  world.runUntilQuiet();
  return { world, wishes, problems };
}
