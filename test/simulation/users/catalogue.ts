// All actions of users with their frequencies. A simulation has a few themes, so that its actions meet.
import type { Dice } from "../dice.ts";
import * as batch from "./batch.ts";
import * as claims from "./claims-and-owners.ts";
import * as bounds from "./bounds.ts";
import * as pods from "./pods.ts";
import * as sets from "./sets.ts";
import * as surroundings from "./surroundings.ts";
import type { Draw, Wish } from "./wish.ts";
import * as workloads from "./workloads.ts";

type Weighted = readonly (readonly [number, Draw])[];

const deployments: Weighted = [
  [14, workloads.createDeployment],
  [10, workloads.scaleDeployment],
  [10, workloads.setImage],
  [3, workloads.restartDeployment],
  [4, workloads.rollBack],
  [5, workloads.pauseOrResume],
  [3, workloads.changeStrategy],
  [5, workloads.deleteDeployment],
  [2, workloads.holdDeployment],
  [3, workloads.createReplicaSet],
  [3, workloads.deleteReplicaSet],
  [2, workloads.scaleReplicaSet],
  [3, surroundings.createDependent],
];
const around: Weighted = [
  [7, pods.deletePod],
  [4, pods.evictPod],
  [4, pods.releasePod],
  [2, pods.holdPod],
  [3, pods.createMatchingPod],
  [3, pods.createBarePod],
  [4, surroundings.cordon],
  [4, surroundings.taint],
  [3, surroundings.createNode],
  [2, surroundings.deleteNode],
  [1, surroundings.drainNode],
  [4, surroundings.createService],
  [2, surroundings.changeService],
  [2, surroundings.deleteService],
  [6, surroundings.createNamespace],
  [2, surroundings.deleteNamespace],
];
const stateful: Weighted = [
  [14, sets.createStatefulSet],
  [9, sets.scaleStatefulSet],
  [9, sets.setStatefulImage],
  [3, sets.setPartition],
  [4, sets.deleteStatefulSet],
  [2, claims.createClaim],
  [2, claims.deleteClaim],
  [4, claims.createPodWithClaim],
];
const daemons: Weighted = [
  [10, sets.createDaemonSet],
  [7, sets.setDaemonImage],
  [5, sets.moveDaemonSet],
  [4, sets.deleteDaemonSet],
  [6, sets.createReplicationController],
  [5, sets.scaleReplicationController],
  [3, sets.deleteReplicationController],
];
const batches: Weighted = [
  [16, batch.createJob],
  [6, batch.suspendJob],
  [6, batch.scaleJob],
  [5, batch.deleteJob],
  [3, batch.createCronJob],
  [1, batch.deleteCronJob],
];
const limits: Weighted = [
  [10, bounds.createQuota],
  [8, bounds.changeQuota],
  [3, bounds.deleteQuota],
  [10, bounds.createBudget],
  [3, bounds.deleteBudget],
  [10, pods.evictPod],
];
const choosy: Weighted = [
  [20, claims.createChoosyPod],
  [4, claims.createPriorityClass],
  [4, pods.deletePod],
];
const links: Weighted = [
  [8, claims.createRoot],
  [16, claims.createLink],
  [12, claims.deleteLink],
];
const themes = { deployments, stateful, daemons, batches, limits, choosy, links } as const;

export type Theme = keyof typeof themes;

/** Two or three of them. */
export function anyThemes(dice: Dice): readonly Theme[] {
  const all = Object.keys(themes) as Theme[];
  const chosen = new Set<Theme>();
  const count = 2 + dice.below(2);
  while (chosen.size < count) chosen.add(dice.pick(all) ?? "deployments");
  return [...chosen];
}

export function anyWish(dice: Dice, about: readonly Theme[]): Wish {
  // What surrounds them is as frequent as one more theme.
  const draws = dice.pick([...about.map((theme) => themes[theme]), around]) ?? around;
  let at = dice.below(draws.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, draw] of draws) {
    if (at < weight) return draw(dice);
    at -= weight;
  }
  return surroundings.createNamespace(dice);
}
