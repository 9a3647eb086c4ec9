// The terminal's local ports that lead into the cluster, as long as `kubectl port-forward` or `kubectl proxy` runs.
import type { ForwardedPort } from "../../kubectl/surroundings.ts";

/** Serves a path of the cluster at a local port until the signal aborts. */
export function forward(
  forwarded: Map<number, string>,
  { local, path }: ForwardedPort,
  signal: AbortSignal,
): Promise<void> {
  if (forwarded.has(local))
    throw new Error(`unable to listen on port ${local}: listen tcp4 127.0.0.1:${local}: bind: address already in use`);
  forwarded.set(local, path);
  return new Promise((done) => {
    const end = () => {
      forwarded.delete(local);
      done();
    };
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
  });
}
