// Measures a service under load: how long a neighbour waits for its answers, and how much memory workerd holds.
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { Worker } from "node:worker_threads";
import type { TestSandbox } from "../sandbox.ts";
import type { RunningService } from "../service.ts";
import type { ReferenceOptions } from "./reference.ts";
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

/** The machine that the bounds in milliseconds are made for does the reference's piece of work in this time. */
const referenceMs = 12;

export interface Machine {
  /** The slowness of this machine relative to the one of the bounds; at least 1. */
  readonly slowness: number;
  readonly text: string;
}

/**
 * Does a fixed piece of work four times a second in a thread, on the folder's disk. The returned function stops it and returns the
 * slowness. The service affects the result only by the processor that it uses.
 */
export function watchMachine(folder: string): () => Promise<Machine> {
  const workerData: ReferenceOptions = { folder, everyMs: 250 };
  const worker = new Worker(new URL("./reference.ts", import.meta.url), { workerData });
  return () =>
    new Promise((done, fail) => {
      worker.once("error", fail);
      worker.once("message", (tookMs: readonly number[]) => {
        void worker.terminate();
        const sorted = [...tookMs].sort((a, b) => a - b);
        const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
        const slowness = Math.max(1, at(0.5) / referenceMs);
        const text = `the machine ${slowness.toFixed(1)} times slower (p50 ${Math.round(at(0.5))} ms, p90 ${Math.round(at(0.9))} ms, p99 ${Math.round(at(0.99))} ms of ${referenceMs} ms, load ${loadavg()[0]?.toFixed(1)})`;
        done({ slowness, text });
      });
      worker.postMessage("end");
    });
}
