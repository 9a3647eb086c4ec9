// Finds the pod and the container of a connection (upstream: registry/core/pod).
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead, type Registry } from "../../registry/registry.ts";
import type { ResourceInfo } from "../request-info.ts";

export function podOf(registry: Registry, kind: Kind, { namespace, name }: ResourceInfo): Pod {
  // Only pods have these subresources.
  return mustRead(registry, kind, namespace, name) as Pod;
}

/** Returns the name of the requested container, or of the only one. */
export function containerOf(pod: Pod, named: string): string {
  const name = pod.metadata.name ?? "";
  const all = containersOf(pod);
  if (named !== "") {
    if (all.some((container) => container.name === named)) return named;
    throw ApiError.badRequest(`container ${named} is not valid for pod ${name}`);
  }
  const [first, ...otherContainers] = pod.spec.containers;
  if (first && otherContainers.length === 0) return first.name;
  const choice = first ? `, choose one of: [${all.map((container) => container.name).join(" ")}]` : "";
  throw ApiError.badRequest(`a container name must be specified for pod ${name}${choice}`);
}

/** Returns the containers in the order in which upstream visits them. */
function containersOf({ spec }: Pod): readonly Pick<Container, "name">[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}
