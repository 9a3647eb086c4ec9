// Measures the built Worker: the size of all that is uploaded, and its start time. The platform limits both.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export interface WorkerReport {
  /** The size of all modules, and their compressed size, as wrangler prints both. */
  readonly bytes: number;
  readonly compressedBytes: number;
  /** CPU time of compiling all modules and running its top-level code, in a new process. */
  readonly startMs: number;
}

/**
 * The limits. The platform refuses modules above 64 MiB, and a start above a second. The limit of the compressed size is the service's own,
 * because a larger upload takes longer to start.
 */
export const workerLimits: WorkerReport = { bytes: 64 * 1024 * 1024, compressedBytes: 2_800_000, startMs: 400 };

/** Measures the Worker in a folder. `index.js` is its entry; source maps are not uploaded. */
export function workerReport(folder: string): WorkerReport {
  const child = fileURLToPath(new URL("worker-start.ts", import.meta.url));
  const entry = join(folder, "index.js");
  const words = ["--experimental-vm-modules", "--no-warnings", child, entry];
  const times = [1, 2, 3].map(() => Number(execFileSync(process.execPath, words, { encoding: "utf8" })));
  const modules = readdirSync(folder).filter((name) => /\.(js|wasm)$/.test(name));
  const all = Buffer.concat(modules.map((name) => readFileSync(join(folder, name))));
  // Other work on the machine only increases the times.
  return { bytes: all.length, compressedBytes: gzipSync(all, { level: 9 }).length, startMs: Math.min(...times) };
}

export function describeReport({ bytes, compressedBytes, startMs }: WorkerReport): string {
  const kilobytes = (size: number) => Math.round(size / 1000);
  return [
    `Worker: ${kilobytes(bytes)} KB in all modules, ${kilobytes(compressedBytes)} KB compressed (of ${kilobytes(workerLimits.compressedBytes)})`,
    `starts in ${Math.round(startMs)} ms (of ${workerLimits.startMs})`,
  ].join(", ");
}

/** Throws if the Worker is too large. */
export function checkReport({ bytes, compressedBytes }: WorkerReport): void {
  if (bytes <= workerLimits.bytes && compressedBytes <= workerLimits.compressedBytes) return;
  throw new Error("the Worker with all of its modules is too large");
}
