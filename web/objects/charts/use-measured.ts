// Measures an object while its charts are shown: some moments of the past first, then now, again and again.
import { useEffect, useState } from "preact/hooks";
import { type ClusterAccess, ask } from "../../api/cluster.ts";
import { clusterNow } from "../../parts/now.ts";
import { useLive } from "../../view/context.ts";
import { type Measured, measureMs, pastMomentsOf, withMeasurement } from "./moments.ts";

interface Measuring<T> {
  /** The path of a list. Undefined: nothing is measured. */
  readonly path: string | undefined;
  readonly createdMs: number;
  /** Reads the list. Undefined if it has nothing of the object. */
  read(list: unknown): T | undefined;
}

interface Measurements<T> {
  readonly all: readonly Measured<T>[];
  readonly isLoaded: boolean;
}

export function shownMs(): number {
  return clusterNow.peek()?.() ?? Date.now();
}

export function useMeasured<T>({ path, createdMs, read }: Measuring<T>): Measurements<T> {
  const { cluster } = useLive();
  const moment = cluster.access.moment?.() ?? "";
  const [state, setState] = useState<Measurements<T>>({ all: [], isLoaded: false });
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    const measure = async (access: ClusterAccess, atMs: number) => {
      if (stop.signal.aborted || access.gate.ended.value) return;
      const list = await listOf(access, path, stop.signal);
      const value = list === undefined ? undefined : read(list);
      if (stop.signal.aborted) return;
      setState(({ all }) => ({
        all: value === undefined ? all : withMeasurement(all, { atMs, value }),
        isLoaded: true,
      }));
    };
    const now = () => measure(cluster.access, shownMs());
    const start = async () => {
      await now();
      // One after the other: each past state is computed by the cluster.
      for (const atMs of pastMomentsOf(createdMs, shownMs())) {
        const at = new Date(atMs).toISOString();
        await measure({ ...cluster.access, mayWrite: false, moment: () => at }, atMs);
      }
    };
    void start();
    const timer = moment === "" ? setInterval(() => !document.hidden && void now(), measureMs) : undefined;
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [path, cluster, moment]);
  return state;
}

/** Returns undefined if the list cannot be read: the cluster has no such API, or does not keep that moment any more. */
async function listOf(access: ClusterAccess, path: string, signal: AbortSignal): Promise<unknown> {
  const answer = await ask(access, path, { signal }).catch(() => undefined);
  return answer?.ok ? answer.json().catch(() => undefined) : undefined;
}
