// Ports of the terminal that lead to pods, for as long as `kubectl port-forward` runs.

/** Until the signal aborts, a port of the terminal leads to one of a pod. */
export function forward(
  forwarded: Map<number, string>,
  { namespace, pod, local, remote }: { namespace: string; pod: string; local: number; remote: number },
  signal: AbortSignal,
): Promise<void> {
  if (forwarded.has(local))
    throw new Error(`unable to listen on port ${local}: listen tcp4 127.0.0.1:${local}: bind: address already in use`);
  forwarded.set(local, `/api/v1/namespaces/${namespace}/pods/${pod}:${remote}/proxy`);
  return new Promise((done) => {
    const end = () => {
      forwarded.delete(local);
      done();
    };
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
  });
}
