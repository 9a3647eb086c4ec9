// A pod on a node of its own, run by the kubelet's steps alone: no store, no client, a clock that is stepped.
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { NodeView } from "../../worker/kubelet/life.ts";
import { type ClusterView, emptyView } from "../../worker/containers/run/world.ts";
import { type Delays, defaultDelays } from "../../worker/machine/delays.ts";
import { linesOf, runOfStatus } from "../../worker/containers/output.ts";
import { filesAt } from "../../worker/containers/run/files-at.ts";
import { imageService } from "../../worker/containers/runtime/image-service.ts";
import { runtimeService } from "../../worker/containers/runtime/service.ts";
import { stepPod } from "../../worker/kubelet/step.ts";

export const steady: Delays = { ...defaultDelays, jitter: 0 };

export interface PodRun {
  pod: Pod;
  nowMs: number;
  /** `+seconds Reason: message`, in the order in which they were recorded. */
  readonly events: string[];
  /** Status writes. */
  writes: number;
  finished: boolean;
  /** The events that would let the pod's sync continue. */
  waitsFor: readonly string[];
  /** Advances the time, and syncs the pod at every moment that the kubelet requested. */
  pass(seconds: number): void;
  /** Marks the pod deleted, as the API does. */
  remove(graceSeconds?: number): void;
}

export const startMs = Date.UTC(2026, 0, 1);

export function container(image: string, more: Partial<Container> = {}): Container {
  return { name: "web", image, resources: {}, imagePullPolicy: "IfNotPresent", ...more };
}

export function podOf(spec: Partial<Pod["spec"]>, more: Partial<Pod["metadata"]> = {}): Pod {
  const metadata = {
    name: "web-1",
    namespace: "default",
    uid: "0e8a35b0-1111-4222-8333-abcdefabcdef",
    generation: 1,
    ...more,
  };
  const completeSpec = {
    nodeName: "node-1",
    restartPolicy: "Always" as const,
    terminationGracePeriodSeconds: 30,
    containers: [],
    ...spec,
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: completeSpec,
    status: { phase: "Pending", qosClass: "BestEffort", conditions: [scheduled] },
  };
}

const scheduled = {
  type: "PodScheduled",
  observedGeneration: 1,
  status: "True",
  lastProbeTime: null,
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

/**
 * `data`: the keys of ConfigMaps and Secrets by `configmap/<name>`; it may be changed while the pod runs. `sync`: how the pod is synchronized, in
 * one go by default.
 */
export function runPod(
  pod: Pod,
  delays: Delays = steady,
  data: Record<string, string[]> = {},
  view: Partial<ClusterView> = {},
  sync: typeof stepPod = stepPod,
): PodRun {
  const node = testNode(data, view, delays);
  let syncedMs = startMs - 1;
  const run: PodRun = {
    pod,
    nowMs: startMs,
    events: [],
    writes: 0,
    finished: false,
    waitsFor: [],
    pass(seconds) {
      const endMs = run.nowMs + seconds * 1000;
      for (let syncs = 0; syncs < 10_000; syncs++) {
        const step = sync(run.pod, node, delays, run.nowMs, syncedMs);
        syncedMs = run.nowMs;
        if (step.status) {
          run.pod = structuredClone({ ...run.pod, status: step.status });
          run.writes++;
        }
        const at = `+${(run.nowMs - startMs) / 1000}`;
        for (const event of step.events) run.events.push(`${at} ${event.reason}: ${event.message}`);
        run.finished ||= step.finished;
        run.waitsFor = step.waitsFor;
        if (step.nextMs === undefined || step.nextMs > endMs || run.finished) break;
        run.nowMs = step.nextMs;
      }
      run.nowMs = endMs;
    },
    remove(graceSeconds = run.pod.spec.terminationGracePeriodSeconds ?? 30) {
      const metadata = {
        ...run.pod.metadata,
        generation: (run.pod.metadata.generation ?? 0) + 1,
        deletionTimestamp: rfc3339(run.nowMs + graceSeconds * 1000),
        deletionGracePeriodSeconds: graceSeconds,
      };
      run.pod = { ...run.pod, metadata };
    },
  };
  return run;
}

function testNode(data: Record<string, string[]>, view: Partial<ClusterView>, delays: Delays): NodeView {
  const images = new Map<string, number>();
  let host = 1;
  return {
    name: "node-1",
    ip: "172.18.0.3",
    lookup: (kind, _, name) => data[`${kind}/${name}`],
    account: () => undefined,
    runtime: runtimeService({ ...emptyView, ...view }, { allocate: () => `10.244.1.${++host}` }, delays),
    images: imageService(
      {
        since: (reference) => images.get(reference.text),
        keep: (reference, sinceMs) => void images.set(reference.text, sinceMs),
      },
      emptyView,
      () => true,
      delays,
    ),
  };
}

/** Returns a container's output up to a moment, its exit and its files. */
export function containerOutput(pod: Pod, name: string, view: ClusterView, nowMs: number, previous = false) {
  const containerRun = runOfStatus(pod, name, view, nowMs, previous);
  if (!containerRun) return undefined;
  const { run, ended } = containerRun;
  const untilMs = ended?.finishedAt ? Date.parse(ended.finishedAt) + 999 : nowMs;
  const end = ended && { atMs: Math.min(untilMs, run.end?.atMs ?? untilMs), exitCode: ended.exitCode };
  return { lines: linesOf(containerRun), end, files: filesAt(run, untilMs) };
}
