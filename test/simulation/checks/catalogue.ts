// Everything that holds when nothing is due any more.
import type { World } from "../world.ts";
import { jobProblems } from "./batch.ts";
import { budgetProblems, quotaProblems } from "./bounds.ts";
import { belongingProblems, logProblems, restProblems } from "./rest-invariants.ts";
import { addressProblems, endpointProblems } from "./network.ts";
import { podProblems } from "./placement.ts";
import { daemonSetProblems, replicationControllerProblems, statefulSetProblems } from "./sets.ts";
import { viewOf } from "./view.ts";
import { deploymentProblems, replicaSetProblems } from "./workloads.ts";

export function problemsAtRest(world: World): string[] {
  const view = viewOf(world.client);
  return [
    ...belongingProblems(view),
    ...podProblems(view),
    ...replicaSetProblems(view),
    ...deploymentProblems(view),
    ...statefulSetProblems(view),
    ...daemonSetProblems(view),
    ...replicationControllerProblems(view),
    ...jobProblems(view, world),
    ...budgetProblems(view),
    ...quotaProblems(world.client, world.clock.nowMs()),
    ...addressProblems(view),
    ...endpointProblems(view),
    ...logProblems(world, view),
    ...restProblems(world),
  ];
}
