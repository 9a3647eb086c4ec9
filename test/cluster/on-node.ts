// Runs a script on a node of a cluster as `ssh` in the page's terminal does.
import type { TestCluster } from "../cluster.ts";

/** Returns the output of a script, and lets the cluster act for a second. `[code]` is appended if it did not end with 0. */
export async function onNode(cluster: TestCluster, node: string, script: string): Promise<string> {
  const startMs = cluster.clock.nowMs();
  const { pod, container } = cluster.containers.onNode(node, startMs);
  const input = { typed: [], hasEnded: true, isTerminal: false };
  const command = { words: ["bash", "-c", script], startMs, untilMs: startMs + 600_000, input };
  const done = await cluster.containers.execute(pod, container, command);
  if (!done || "missing" in done) return "not there";
  const endMs = done.end?.atMs ?? startMs;
  cluster.step(endMs - startMs);
  cluster.containers.keep(pod, container, done.changes);
  cluster.step(1000);
  const text = done.chunks.map((chunk) => chunk.text).join("");
  return done.end?.exitCode === 0 ? text : `${text}[${done.end?.exitCode ?? "runs"}]`;
}
