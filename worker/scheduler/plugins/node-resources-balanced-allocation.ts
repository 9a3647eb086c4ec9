// NodeResourcesBalancedAllocation: prefers nodes on which the pod balances the use of CPU and memory.
import { type Plugin, maxNodeScore } from "../framework.ts";
import type { Resources } from "../resources.ts";

export const nodeResourcesBalancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  preScore({ info: { requests } }) {
    // A pod without requests does not affect the balance.
    if (requests.milliCpu === 0 && requests.memory === 0) return undefined;
    return {
      score: ({ facts: { allocatable }, requested }) => {
        const before = balance(requested.milliCpu, requested.memory, allocatable);
        const after = balance(requested.milliCpu + requests.milliCpu, requested.memory + requests.memory, allocatable);
        return maxNodeScore / 2 + Math.trunc((maxNodeScore / 2 + after - before) / 2);
      },
    };
  },
};

/** Scores the balance: 100 if both shares are equal, less by their standard deviation. */
function balance(milliCpu: number, memory: number, allocatable: Resources): number {
  const isComparable = allocatable.milliCpu > 0 && allocatable.memory > 0;
  const apart = share(milliCpu, allocatable.milliCpu) - share(memory, allocatable.memory);
  const deviation = isComparable ? Math.abs(apart) / 2 : 0;
  return Math.trunc((1 - deviation) * maxNodeScore);
}

function share(used: number, capacity: number): number {
  return Math.min(1, used / capacity);
}
