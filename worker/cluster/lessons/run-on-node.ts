// Runs the script of an action on a node, as root. Its changes are stored as of now, although its commands take time.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Cluster } from "../cluster.ts";

/** The time that a script may take on the sandbox's clock. */
const scriptMs = 600_000;
const printedCharacters = 300;

export async function runOnNode(
  { containers, registry }: Pick<Cluster, "containers" | "registry">,
  { name, run }: { readonly name: string; readonly run: string },
  turn: (body: () => void) => void,
): Promise<void> {
  const startMs = registry.clock.nowMs();
  const { pod, container } = containers.onNode(name, startMs);
  const input = { typed: [], hasEnded: true, isTerminal: false };
  const command = { words: ["bash", "-e", "-c", run], startMs, untilMs: startMs + scriptMs, input };
  const done = await containers.execute(pod, container, command);
  if (!done || "missing" in done || done.end?.exitCode !== 0) {
    const text = done && "chunks" in done ? done.chunks.map((chunk) => chunk.text).join("") : "";
    throw ApiError.badRequest(`the script on node ${name} failed: ${text.slice(-printedCharacters)}`);
  }
  turn(() =>
    containers.keep(
      pod,
      container,
      done.changes.map((change) => ({ ...change, atMs: startMs })),
    ),
  );
}
