// The changes after which a node's memory is measured: a pod that uses memory starts or stops, or its usage annotation changes, or that of
// its controller. Another is the node's capacity. Pods with the small default usage do not trigger a measurement.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { controllerOf, controllerKinds } from "../../kinds/metrics/samples.ts";
import { usesMoreMemoryThanDefault, usageAnnotations } from "../../kinds/metrics/usage.ts";
import type { Client } from "../../registry/client.ts";
import { type Request, type Watch, watch } from "../../runtime/controller.ts";
import { runningContainers } from "./memory.ts";

/** Requests without a namespace name nodes. */
function nodeRequest(name: string): Request {
  return { namespace: "", name };
}

export const pressureWatches: readonly Watch[] = [
  watch(pods, function* (next, previous, client): Generator<Request> {
    const pod = next ?? previous;
    const name = pod?.spec.nodeName;
    if (!pod || !name || memoryUsageKey(next) === memoryUsageKey(previous)) return;
    // A pod whose annotation was removed used more than the default before.
    if (usesMoreThanDefault(pod, client) || (previous && usageAnnotationOf(previous) !== undefined))
      yield nodeRequest(name);
  }),
  ...controllerKinds.map((kind) =>
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

function usesMoreThanDefault(pod: Pod, client: Client): boolean {
  return usesMoreMemoryThanDefault(pod, undefined) || usesMoreMemoryThanDefault(pod, controllerOf(pod, client));
}

function usageAnnotationOf({ metadata }: { readonly metadata: Pod["metadata"] }): string | undefined {
  return metadata.annotations?.[usageAnnotations.memory];
}

/** Returns a text that changes whenever the memory usage of a pod may change: its running containers and its usage annotation. */
function memoryUsageKey(pod: Pod | undefined): string {
  if (!pod) return "";
  const names = runningContainers(pod).map(({ name }) => name);
  return names.length === 0 ? "" : `${names.join(" ")} ${usageAnnotationOf(pod) ?? ""}`;
}
