// NodeResourcesBalancedAllocation: better where the pod makes the use of CPU and memory more even.
import { type Plugin, maxNodeScore } from "../framework.ts";
import type { Resources } from "../resources.ts";

export const nodeResourcesBalancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  preScore({ info: { requests } }) {
    // A pod without requests changes no balance.
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

/** 100 when both are used alike; less by the standard deviation of the two shares. */
function balance(milliCpu: number, memory: number, allocatable: Resources): number {
  const isComparable = allocatable.milliCpu > 0 && allocatable.memory > 0;
  const apart = share(milliCpu, allocatable.milliCpu) - share(memory, allocatable.memory);
  const deviation = isComparable ? Math.abs(apart) / 2 : 0;
  return Math.trunc((1 - deviation) * maxNodeScore);
}

function share(used: number, capacity: number): number {
  return Math.min(1, used / capacity);
}
