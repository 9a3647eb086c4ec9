// What the built Worker weighs and how long it takes to begin: the platform limits both.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export interface WorkerReport {
  readonly compressedBytes: number;
  /** CPU time of compiling and running its outermost code, in a fresh process. */
  readonly startMs: number;
}

/** The platform refuses a Worker of its free plan past 3 MB; and one that is slow to begin is slow for whoever wakes it. */
export const workerLimits: WorkerReport = { compressedBytes: 3_000_000, startMs: 400 };

export function workerReport(path: string): WorkerReport {
  const child = fileURLToPath(new URL("worker-start.ts", import.meta.url));
  const times = [1, 2, 3].map(() => Number(execFileSync(process.execPath, [child, path], { encoding: "utf8" })));
  // Whatever else the machine does only ever adds.
  return { compressedBytes: gzipSync(readFileSync(path), { level: 9 }).length, startMs: Math.min(...times) };
}

export function describeReport({ compressedBytes, startMs }: WorkerReport): string {
  const kilobytes = Math.round(compressedBytes / 1000);
  const limit = workerLimits.compressedBytes / 1000;
  return `Worker: ${kilobytes} KB compressed (of ${limit}), starts in ${Math.round(startMs)} ms (of ${workerLimits.startMs})`;
}
