// NodeResourcesBalancedAllocation: better where the pod makes the use of CPU and memory more even.
import { type Plugin, maxScore } from "./plugin.ts";
import type { Resources } from "./resources.ts";

export const balancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  score({ info: { requests } }) {
    // A pod without requests changes no balance.
    if (requests.milliCpu === 0 && requests.memory === 0) return undefined;
    return {
      score: ({ facts: { allocatable }, requested }) => {
        const before = balance([requested.milliCpu, requested.memory], allocatable);
        const after = balance(
          [requested.milliCpu + requests.milliCpu, requested.memory + requests.memory],
          allocatable,
        );
        return maxScore / 2 + Math.trunc((maxScore / 2 + after - before) / 2);
      },
    };
  },
};

/** 100 when both are used alike; less by the standard deviation of the two shares. */
function balance([cpu = 0, memory = 0]: readonly number[], allocatable: Resources): number {
  const { milliCpu, memory: bytes } = allocatable;
  const deviation = milliCpu > 0 && bytes > 0 ? Math.abs(share(cpu, milliCpu) - share(memory, bytes)) / 2 : 0;
  return Math.trunc((1 - deviation) * maxScore);
}

function share(used: number, capacity: number): number {
  return Math.min(1, used / capacity);
}
