// The heap of the isolate that runs the clusters, read by workerd's inspector.
import { openInspector } from "./inspector.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Bench } from "./service.ts";

export interface HeapGauge {
  /** Returns the largest observed number of bytes in use, and resets it. */
  peak(): number;
  /** Returns the bytes in use after a garbage collection. */
  settled(): Promise<number>;
  end(): void;
}

interface Usage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize?: number;
  readonly backingStorageSize?: number;
}

const pollMs = 50;

/** Polls the heap until it is ended. */
export async function heapGauge(bench: Bench): Promise<HeapGauge> {
  const inspector = await openInspector(bench);
  const used = async () => (await inspector.call<Usage>("Runtime.getHeapUsage")).usedSize;
  let peak = 0;
  let open = true;
  const poll = async () => {
    while (open) {
      peak = Math.max(peak, await used());
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  void poll().catch(() => undefined);
  return {
    peak: () => {
      const peakBytes = peak;
      peak = 0;
      return peakBytes;
    },
    settled: async () => {
      await inspector.call("HeapProfiler.collectGarbage");
      return used();
    },
    end: () => {
      open = false;
      inspector.end();
    },
  };
}

/** Sends requests until the inspector has answered, because it answers only while the isolate has work. */
export async function nudged<T>(sandbox: Sandbox, answer: Promise<T>): Promise<T> {
  let over = false;
  const answered = answer.finally(() => (over = true));
  while (!over) {
    await sandbox.get("/api/v1/namespaces/default");
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return answered;
}
