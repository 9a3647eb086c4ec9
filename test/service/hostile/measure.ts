// Measures a service under load: how long a neighbour waits for its answers, and how much memory workerd holds.
import { execFileSync } from "node:child_process";
import { Worker } from "node:worker_threads";
import type { TestSandbox } from "../sandbox.ts";
import type { RunningService } from "../service.ts";
import type { Get, Watched, WatcherOptions } from "./watcher.ts";

export interface Latencies {
  readonly gets: readonly Get[];
  readonly failures: readonly string[];
  /** Returns the latency in milliseconds below which this share of the answers came. */
  at(share: number): number;
}

/** Sends a GET to a sandbox in a fixed rhythm, from a thread of its own. The returned function ends this and returns the latencies. */
export function watchNeighbour({ http, token }: TestSandbox, everyMs: number): () => Promise<Latencies> {
  const workerData: WatcherOptions = { url: `${http}/api/v1/namespaces/default`, token, everyMs };
  const worker = new Worker(new URL("./watcher.ts", import.meta.url), { workerData });
  return () =>
    new Promise((done, fail) => {
      worker.once("error", fail);
      worker.once("message", ({ gets, failures }: Watched) => {
        void worker.terminate();
        const sorted = gets.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
        done({ gets, failures, at: (share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0) });
      });
      worker.postMessage("end");
    });
}

/** Reads the resident memory of workerd twice a second. The returned function ends this and returns the highest value in MiB. */
export function watchMemory({ address }: RunningService): () => number {
  let highest = 0;
  const look = () => {
    const rows = execFileSync("ps", ["-A", "-o", "ppid=,rss=,comm="], { encoding: "utf8" }).split("\n");
    for (const [parent, kib, name] of rows.map((row) => row.trim().split(/\s+/))) {
      if (Number(parent) === address.pid && name === "workerd")
        highest = Math.max(highest, Math.round(Number(kib) / 1024));
    }
  };
  const timer = setInterval(look, 500);
  return () => {
    clearInterval(timer);
    look();
    return highest;
  };
}
