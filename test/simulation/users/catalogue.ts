// Everything users do, with how often they do it.
import type { Dice } from "../dice.ts";
import * as pods from "./pods.ts";
import * as surroundings from "./surroundings.ts";
import type { Draw, Wish } from "./wish.ts";
import * as workloads from "./workloads.ts";

const draws: readonly (readonly [number, Draw])[] = [
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
  [7, pods.deletePod],
  [2, pods.evictPod],
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
  [3, surroundings.createDependent],
];
const total = draws.reduce((sum, [weight]) => sum + weight, 0);

export function anyWish(dice: Dice): Wish {
  let at = dice.below(total);
  for (const [weight, draw] of draws) {
    if (at < weight) return draw(dice);
    at -= weight;
  }
  return surroundings.createNamespace(dice);
}
