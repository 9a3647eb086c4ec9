// A pause in which the runtime takes in new connections: requests share it, so that those who follow one another without a gap do not keep
// others out.
//
// The runtime looks for new connections and requests only when it has nothing else to do. Clients that send their next request
// while another's is answered never let it come to that, and whoever is new waits for seconds. So now and then all that are there
// wait for a timer: it fires when the runtime has looked.
import { limits } from "../../../shared/base/limits.ts";

export interface IoYield {
  /** What a request is to wait for before it has its turn, if anything. */
  (): Promise<void> | undefined;
}

export function newIoYield(nowMs: () => number, pause: () => Promise<void>): IoYield {
  let current: Promise<void> | undefined;
  let busySinceMs = 0;
  let lastMs = 0;
  return () => {
    if (current) return current;
    const now = nowMs();
    if (now - lastMs > limits.idleMs) busySinceMs = now;
    lastMs = now;
    if (now - busySinceMs < limits.ioYieldMs) return undefined;
    current = pause().finally(() => {
      current = undefined;
      busySinceMs = lastMs = nowMs();
    });
    return current;
  };
}
