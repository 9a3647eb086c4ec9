// The processes below this one: none may outlive it, even when it is killed.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";

/** Process ids of the children. */
export function childProcesses(): number[] {
  try {
    const own = String(process.pid);
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).split("\n");
    const rows = lines.map((line) => line.trim().split(/\s+/));
    return rows.filter(([, parent, name]) => parent === own && name !== "ps").map(([pid]) => Number(pid));
  } catch {
    // No `ps` here: then only an orderly end takes the children along.
    return [];
  }
}

/** A shell that waits on a pipe from this process; when the pipe breaks, this process is dead, and so shall the others be. */
export function guard(pids: readonly number[]): ChildProcess | undefined {
  if (pids.length === 0) return undefined;
  const shell = spawn("sh", ["-c", 'read -r _; kill -9 "$@"', "sh", ...pids.map(String)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  shell.unref();
  return shell;
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
