// Measures the built Worker: its compressed size and its start time. The platform limits both.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export interface WorkerReport {
  readonly compressedBytes: number;
  /** CPU time of compiling and running its top-level code, in a new process. */
  readonly startMs: number;
}

/** The limits. The platform's free plan refuses a Worker above 3 MB, and a slow start delays the first request. */
export const workerLimits: WorkerReport = { compressedBytes: 3_000_000, startMs: 400 };

export function workerReport(path: string): WorkerReport {
  const child = fileURLToPath(new URL("worker-start.ts", import.meta.url));
  const times = [1, 2, 3].map(() => Number(execFileSync(process.execPath, [child, path], { encoding: "utf8" })));
  // Other work on the machine only increases the times.
  return { compressedBytes: gzipSync(readFileSync(path), { level: 9 }).length, startMs: Math.min(...times) };
}

export function describeReport({ compressedBytes, startMs }: WorkerReport): string {
  const kilobytes = Math.round(compressedBytes / 1000);
  const limit = workerLimits.compressedBytes / 1000;
  return `Worker: ${kilobytes} KB compressed (of ${limit}), starts in ${Math.round(startMs)} ms (of ${workerLimits.startMs})`;
}
