// What a get takes again and again while something else is measured, for those who are not to be kept waiting by it.
import { connections, expect } from "./http.ts";
import type { Sandbox } from "./sandbox.ts";

const pauseMs = 20;

interface RepeatedGets {
  /** Resolves the milliseconds that each has taken. */
  end(): Promise<readonly number[]>;
}

export function repeatedGets(sandbox: Sandbox): RepeatedGets {
  // A connection of its own: it must not wait for the writers'.
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
