// The priority classes that every cluster has (upstream: `SystemPriorityClasses`).
import { priorityClasses } from "../../kinds/priority-classes.ts";
import { type Seed, seed } from "./seed.ts";

export function* systemPriorityClasses(): Generator<Seed> {
  yield systemClass(
    "system-node-critical",
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  );
  yield systemClass(
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  );
}

function systemClass(name: string, value: number, description: string): Seed {
  return seed(priorityClasses, { metadata: { name }, value, description });
}
