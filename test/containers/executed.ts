// Runs a script in a pod of a cluster as `kubectl exec` does, with its effects on pods.
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../cluster.ts";

/** Returns the output of a script after a second. `[code]` is appended if it did not end with 0, `[runs]` if it has not ended. */
export async function executed(cluster: TestCluster, name: string, script: string, seconds = 600): Promise<string> {
  const pod = cluster.get(pods, "default", name);
  const startMs = cluster.clock.nowMs();
  const input = { typed: [], hasEnded: true, isTerminal: false };
  const command = { words: ["sh", "-c", script], startMs, untilMs: startMs + seconds * 1000, input };
  const container = pod.spec.containers[0]?.name ?? "";
  const done = await cluster.containers.execute(pod, container, command);
  if (!done || "missing" in done) return "not there";
  cluster.containers.keep(pod, container, done.changes);
  cluster.step(1000);
  const text = done.chunks.map((chunk) => chunk.text).join("");
  return done.end?.exitCode === 0 ? text : `${text}[${done.end?.exitCode ?? "runs"}]`;
}
