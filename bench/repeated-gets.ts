// Measures the latency of repeated gets while another load runs, which must not delay them.
import { connections, expect } from "./http.ts";
import type { Sandbox } from "./sandbox.ts";

const pauseMs = 20;

interface RepeatedGets {
  /** Resolves with the milliseconds of each get. */
  end(): Promise<readonly number[]>;
}

export function repeatedGets(sandbox: Sandbox): RepeatedGets {
  // A connection of its own, so that gets do not queue behind the writers' requests.
  const agent = connections(1);
  const times: number[] = [];
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const startMs = performance.now();
      await expect(200, agent, `${sandbox.url}/api/v1/namespaces/default`, sandbox);
      times.push(performance.now() - startMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    agent.destroy();
  };
  const running = run();
  return {
    end: async () => {
      isOver = true;
      await running;
      return times;
    },
  };
}
