// Everything that holds when nothing is due any more.
import type { World } from "../world.ts";
import { belongingProblems, logProblems, podProblems, restProblems } from "./house.ts";
import { addressProblems, endpointProblems } from "./network.ts";
import { viewOf } from "./view.ts";
import { deploymentProblems, replicaSetProblems } from "./workloads.ts";

export function problemsAtRest(world: World): string[] {
  const view = viewOf(world.client);
  return [
    ...belongingProblems(view),
    ...podProblems(view),
    ...replicaSetProblems(view),
    ...deploymentProblems(view),
    ...addressProblems(view),
    ...endpointProblems(view),
    ...logProblems(world, view),
    ...restProblems(world),
  ];
}
