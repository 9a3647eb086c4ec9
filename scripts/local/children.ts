// The processes below this one: none may outlive it, even when it is killed.
import { execFileSync, spawn } from "node:child_process";

/** Process ids of the children; `of`: only those that run this program. */
export function childProcesses(of?: string): number[] {
  try {
    const own = String(process.pid);
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).split("\n");
    const rows = lines.map((line) => line.trim().split(/\s+/));
    const wanted = (name = "") => (of === undefined ? name !== "ps" : name === of || name.endsWith(`/${of}`));
    return rows.filter(([, parent, name]) => parent === own && wanted(name)).map(([pid]) => Number(pid));
  } catch {
    // No `ps` here: then only an orderly end takes the children along.
    return [];
  }
}

/** Told, again and again, which processes must not outlive this one. */
export interface Guard {
  watch(pids: readonly number[]): void;
}

/** A shell that reads process ids from a pipe; when the pipe breaks, this process is dead, and the last ones read shall be too. */
export function openGuard(): Guard {
  const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids';
  const shell = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // Where there is no shell, only an orderly end takes the children along.
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  return { watch: (pids) => void shell.stdin.write(`${pids.filter((pid) => pid !== shell.pid).join(" ")}\n`) };
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
}
