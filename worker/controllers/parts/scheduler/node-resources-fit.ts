// NodeResourcesFit: what a pod requests must be free on the node; nodes with more left are better (LeastAllocated).
import type { NodeInfo } from "./node-info.ts";
import { type Plugin, type Rejection, maxScore } from "./plugin.ts";
import type { Resources } from "./resources.ts";

export const nodeResourcesFit: Plugin = {
  name: "NodeResourcesFit",
  weight: 1,
  filter({ info: { requests } }) {
    return { check: (node) => missing(node, requests) };
  },
  score({ info: { assumed } }) {
    return {
      score: ({ facts: { allocatable }, assumed: used }) => {
        const resources = (allocatable.milliCpu > 0 ? 1 : 0) + (allocatable.memory > 0 ? 1 : 0);
        if (resources === 0) return 0;
        const cpu = leastRequested(used.milliCpu + assumed.milliCpu, allocatable.milliCpu);
        const memory = leastRequested(used.memory + assumed.memory, allocatable.memory);
        return Math.floor((cpu + memory) / resources);
      },
    };
  },
};

/** Upstream's `leastRequestedScore`. */
function leastRequested(wanted: number, capacity: number): number {
  return capacity === 0 || wanted > capacity ? 0 : Math.floor(((capacity - wanted) * maxScore) / capacity);
}

/** Upstream's `fitsRequest`: all that is missing, in its order. */
function missing({ facts, requested, pods }: NodeInfo, wanted: Resources): Rejection | undefined {
  const reasons: string[] = [];
  let isResolvable = true;
  if (pods.size + 1 > facts.allowedPods) reasons.push("Too many pods");
  const check = (name: string, amount: number, used: number, capacity: number) => {
    if (amount <= 0 || amount <= capacity - used) return;
    reasons.push(`Insufficient ${name}`);
    if (amount > capacity) isResolvable = false;
  };
  const { allocatable } = facts;
  check("cpu", wanted.milliCpu, requested.milliCpu, allocatable.milliCpu);
  check("memory", wanted.memory, requested.memory, allocatable.memory);
  check("ephemeral-storage", wanted.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage);
  for (const [name, amount] of wanted.scalars) {
    check(name, amount, requested.scalars.get(name) ?? 0, allocatable.scalars.get(name) ?? 0);
  }
  return reasons.length > 0 ? { reasons, isResolvable } : undefined;
}
