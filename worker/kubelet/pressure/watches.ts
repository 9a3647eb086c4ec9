// The changes after which a node's memory is measured: a pod that uses memory starts or stops, or its usage annotation changes.
// Pods with the small default usage do not trigger a measurement.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { controllerOf, controllers } from "../../kinds/metrics/samples.ts";
import { holdsMemory, usageAnnotations } from "../../kinds/metrics/usage.ts";
import type { Client } from "../../registry/client.ts";
import { type Request, type Watch, watch } from "../../runtime/controller.ts";
import { runningContainers } from "./signal.ts";

/** Requests without a namespace name nodes. */
function nodeRequest(name: string): Request {
  return { namespace: "", name };
}

export const pressureWatches: readonly Watch[] = [
  watch(pods, function* (next, previous, client): Generator<Request> {
    const pod = next ?? previous;
    const name = pod?.spec.nodeName;
    if (!pod || !name || usedBy(next) === usedBy(previous)) return;
    if (holds(pod, client) || (previous && usageAnnotationOf(previous) !== undefined)) yield nodeRequest(name);
  }),
  ...controllers.map((kind) =>
    watch(kind, function* (next, previous, client): Generator<Request> {
      if (!next || !previous || usageAnnotationOf(next) === usageAnnotationOf(previous)) return;
      const all = client.controlledBy(pods, next.metadata.uid ?? "");
      for (const name of new Set(all.map(({ spec }) => spec.nodeName))) if (name) yield nodeRequest(name);
    }),
  ),
  watch(nodes, function* (next, previous): Generator<Request> {
    const capacity = (node: typeof next) => node?.status.capacity?.["memory"];
    if (next && previous && capacity(next) !== capacity(previous)) yield nodeRequest(next.metadata.name ?? "");
  }),
];

function holds(pod: Pod, client: Client): boolean {
  return holdsMemory(pod, undefined) || holdsMemory(pod, controllerOf(pod, client));
}

function usageAnnotationOf({ metadata }: { readonly metadata: Pod["metadata"] }): string | undefined {
  return metadata.annotations?.[usageAnnotations.memory];
}

/** Returns the stored facts that determine a pod's memory usage. */
function usedBy(pod: Pod | undefined): string {
  if (!pod) return "";
  const names = runningContainers(pod).map(({ name }) => name);
  return names.length === 0 ? "" : `${names.join(" ")} ${usageAnnotationOf(pod) ?? ""}`;
}
