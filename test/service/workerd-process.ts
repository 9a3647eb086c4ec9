// The processes below a service, and the workerd among them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** How long a start may take on a busy machine. */
const startMs = 60_000;

export type Supervised = { readonly address: { readonly pid: number } };

/** Waits for a workerd that is not the one before. */
export async function nextWorkerd({ address }: Supervised, before?: number): Promise<number> {
  const deadlineMs = Date.now() + startMs;
  for (;;) {
    const pid = workerdsOf({ address }).find((child) => child !== before);
    if (pid !== undefined) return pid;
    if (Date.now() > deadlineMs) throw new Error("no workerd was started");
    await new Promise((done) => void setTimeout(done, 5));
  }
}

/** Returns the ids of the running workerd processes of a service. */
export function workerdsOf({ address }: Supervised): number[] {
  return childrenOf(address.pid).filter((child) => isWorkerd(child) && isAlive(child));
}

/** Linux tells at once; elsewhere ps does. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
  }
}

function isWorkerd(pid: number): boolean {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", "comm="], { encoding: "utf8" }).includes("workerd");
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^[ZX]/.test(execFileSync("ps", ["-p", String(pid), "-o", "stat="], { encoding: "utf8" }).trim());
  } catch {
    return false;
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
