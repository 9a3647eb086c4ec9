// The kubelet's log lines about the pods on its node: when they were added, when they ran, and why they do not run.
import { parseTime } from "../../../../../shared/k8s/time.ts";
import { kubeletLine } from "../../../node/units.ts";
import type { Pod } from "../../../../../shared/k8s/api/core-v1.ts";

interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** Returns the lines of a kubelet with a process id. */
export function kubeletLines(pods: readonly Pod[], nowMs: number, pid: number): readonly LogLine[] {
  const lines = pods.flatMap((pod) => linesOf(pod, nowMs, pid));
  return lines.sort((a, b) => a.atMs - b.atMs);
}

function linesOf({ metadata, status }: Pod, nowMs: number, pid: number): LogLine[] {
  const line = (atMs: number, level: "I" | "E", where: string, text: string): LogLine => ({
    atMs,
    text: kubeletLine(atMs, level, pid, where, text),
  });
  const { namespace = "", name = "", uid = "", creationTimestamp, deletionTimestamp } = metadata;
  const [key, ref] = [`${namespace}/${name}`, `pod="${namespace}/${name}"`];
  const addedMs = parseTime(status.startTime ?? creationTimestamp ?? "1970-01-01T00:00:00Z");
  const lines: LogLine[] = [line(addedMs, "I", "kubelet.go:2537", `"SyncLoop ADD" source="api" pods=["${key}"]`)];
  const ready = status.conditions?.find((condition) => condition.type === "Ready" && condition.status === "True");
  if (ready?.lastTransitionTime) {
    const readyMs = parseTime(ready.lastTransitionTime);
    const seconds = ((readyMs - addedMs) / 1000).toFixed(9);
    const pulls =
      'firstStartedPulling="0001-01-01 00:00:00 +0000 UTC" lastFinishedPulling="0001-01-01 00:00:00 +0000 UTC"';
    const text = `"Observed pod startup duration" ${ref} podStartSLOduration=${seconds} podStartE2EDuration="${seconds}s" ${pulls}`;
    lines.push(line(readyMs, "I", "pod_startup_latency_tracker.go:104", text));
  }
  for (const { name: container, state } of [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
  ]) {
    const { reason = "", message = "" } = state.waiting ?? {};
    if (message === "") continue;
    const what = `failed to "StartContainer" for "${container}" with ${reason}: ${JSON.stringify(message)}`;
    const text = `"Error syncing pod, skipping" err=${JSON.stringify(what)} ${ref} podUID="${uid}"`;
    lines.push(line(nowMs, "E", "pod_workers.go:1324", text));
  }
  if (deletionTimestamp) {
    const text = `"SyncLoop DELETE" source="api" pods=["${key}"]`;
    lines.push(line(Math.min(nowMs, parseTime(deletionTimestamp)), "I", "kubelet.go:2553", text));
  }
  return lines;
}
