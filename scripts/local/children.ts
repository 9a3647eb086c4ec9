// Tracks child processes, none of which may outlive this process, even if it is killed.
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";

export interface Children {
  /** Calls the listener for each process that is spawned from now on. Returns the function that removes the listener. */
  onSpawn(listener: (child: ChildProcess) => void): () => void;
  killAll(): void;
}

/** Follows every process that this one spawns from now on, whichever library spawns it. */
export function trackChildren(): Children {
  const guard = openGuard();
  const running = new Set<ChildProcess>();
  const listeners = new Set<(child: ChildProcess) => void>();
  const change = (apply: () => void) => {
    apply();
    guard.watch([...running].flatMap(({ pid }) => pid ?? []));
  };
  subscribe("child_process", (message) => {
    // Node's documentation of the channel gives the message this type.
    const { process: child } = message as { readonly process: ChildProcess };
    child.once("spawn", () => {
      change(() => running.add(child));
      for (const listener of listeners) listener(child);
    });
    child.once("exit", () => change(() => running.delete(child)));
  });
  return {
    onSpawn: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    killAll: () => {
      for (const child of running) child.kill("SIGKILL");
    },
  };
}

interface Guard {
  /** Replaces the process ids that must not outlive this process. */
  watch(pids: readonly number[]): void;
}

/**
 * Starts a shell that reads process ids from a pipe. If the pipe breaks, this process is dead, and the shell kills the processes that it
 * read last.
 */
function openGuard(): Guard {
  const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids';
  const shell = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // Without a shell, only an orderly end stops the children.
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  return { watch: (pids) => void shell.stdin.write(`${pids.join(" ")}\n`) };
}
