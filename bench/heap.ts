// The heap of the isolate in which the clusters live, read through workerd's inspector.
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
  const socket = await inspectorSocket(bench);
  const waiting = new Map<number, (result: unknown) => void>();
  let id = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (message.id !== undefined) waiting.get(message.id)?.(message.result);
    if (message.id !== undefined) waiting.delete(message.id);
  });
  const call = (method: string) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(++id, resolve);
    socket.send(JSON.stringify({ id, method }));
    return promise;
  };
  const used = async () => ((await call("Runtime.getHeapUsage")) as Usage).usedSize;
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
      await call("HeapProfiler.collectGarbage");
      return used();
    },
    end: () => {
      open = false;
      socket.close();
    },
  };
}

async function inspectorSocket({ inspectorPort }: Bench): Promise<WebSocket> {
  const list = await fetch(`http://127.0.0.1:${inspectorPort}/json`);
  const targets = (await list.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find((one) => one.id.includes("sandbar"));
  if (!target) throw new Error(`no inspector among ${targets.map((one) => one.id).join(", ")}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => resolve());
  socket.addEventListener("error", () => reject(new Error("the inspector cannot be reached")));
  await promise;
  return socket;
}
