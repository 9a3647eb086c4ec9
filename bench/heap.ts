// The heap of the isolate in which the clusters live, read through workerd's inspector.
import { openInspector } from "./inspector.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Bench } from "./service.ts";

export interface HeapGauge {
  /** The largest number of bytes in use that was seen, and reset. */
  peak(): number;
  /** In use after a collection. */
  settled(): Promise<number>;
  end(): void;
}

interface Usage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize?: number;
  readonly backingStorageSize?: number;
}

const pollMs = 50;

/** Looks again and again until it is ended. */
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
      const seen = peak;
      peak = 0;
      return seen;
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

/** The inspector is answered when the isolate has something to do. */
export async function nudged<T>(sandbox: Sandbox, answer: Promise<T>): Promise<T> {
  let over = false;
  const answered = answer.finally(() => (over = true));
  while (!over) {
    await sandbox.get("/api/v1/namespaces/default");
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return answered;
}
