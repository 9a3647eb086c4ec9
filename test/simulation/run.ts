// One simulated life of a cluster: users do what they do while processes come and go; then the faults stop.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { deployments } from "../../worker/kinds/deployments.ts";
import { pods } from "../../worker/kinds/pods.ts";
import { replicaSets } from "../../worker/kinds/replica-sets.ts";
import type { Client } from "../../worker/registry/client.ts";
import { problemsOfChange } from "./checks/moments.ts";
import { diceOf } from "./dice.ts";
import { anyWish } from "./users/catalogue.ts";
import { ask, edit } from "./users/wish.ts";
import { goodImage, isBroken } from "./users/workloads.ts";
import { type Faults, World } from "./world.ts";

export interface Life {
  readonly world: World;
  /** What users did, for a failing test to say. */
  readonly wishes: readonly string[];
  /** What did not hold at some moment. */
  readonly problems: readonly string[];
}

export interface LifeOptions {
  readonly seed: number;
  readonly faults: Faults;
  readonly wishes: number;
  readonly zeroDelays?: boolean;
  /** Each wish waits until nothing is due at its moment: two lives differ then only by their faults. */
  readonly isOrderly?: boolean;
}

const pausesMs = [0, 0, 0, 1, 400, 1000, 2500, 10_000, 45_000, 700_000];

export function live({ seed, faults, wishes: count, zeroDelays = true, isOrderly = false }: LifeOptions): Life {
  const dice = diceOf(seed);
  const wishes: string[] = [];
  const problems: string[] = [];
  const world = new World({
    seed,
    faults,
    zeroDelays,
    onChange: (change, client) => {
      for (const problem of problemsOfChange(change, client)) problems.push(`${change.revision}: ${problem}`);
    },
  });
  for (let index = 0; index < count; index++) {
    const wish = anyWish(dice);
    wishes.push(wish.text);
    world.turn(() => ask(wish, world.client));
    if (isOrderly) world.settle();
    world.pass(dice.pick(pausesMs) ?? 0);
  }
  world.faults = { evict: 0, kill: 0, refuse: 0 };
  world.turn(() => repair(world.client));
  world.runUntilQuiet();
  return { world, wishes, problems };
}

/** Afterwards everything can come to rest: nothing is held, paused or broken. */
function repair(client: Client): void {
  for (const kind of client.kinds()) {
    for (const { metadata } of client.list(kind)) {
      if (!metadata.finalizers?.some((one) => one.startsWith("test."))) continue;
      edit(client, kind, metadata.namespace ?? "", metadata.name ?? "", (draft) => {
        draft.metadata.finalizers = draft.metadata.finalizers?.filter((one) => !one.startsWith("test.")) ?? [];
      });
    }
  }
  for (const { metadata } of client.list(deployments)) {
    edit(client, deployments, metadata.namespace ?? "", metadata.name ?? "", ({ spec }) => {
      delete spec.paused;
      for (const container of spec.template.spec.containers) container.image = goodImage;
    });
  }
  const alone = ({ metadata }: KubeObject) => !metadata.ownerReferences?.some(({ controller }) => controller);
  for (const set of client.list(replicaSets)) {
    if (isBroken(set.spec.template.spec))
      client.delete(replicaSets, set.metadata.namespace ?? "", set.metadata.name ?? "");
  }
  for (const pod of client.list(pods).filter(alone)) {
    if (isBroken(pod.spec)) client.delete(pods, pod.metadata.namespace ?? "", pod.metadata.name ?? "");
  }
}
