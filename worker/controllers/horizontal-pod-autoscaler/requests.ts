// Computes the pods' requests of a resource, in thousandths, as the base of utilization. Pure.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { formatQuantity, quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import { aggregateContainerRequests, isSidecar } from "../../kinds/core/pod/resources.ts";

export interface Failure {
  readonly failure: string;
}

/** Returns the requests by pod; those of one container, if one is given. */
export function calculateRequests(
  pods: readonly Pod[],
  container: string,
  resource: string,
): Map<string, number> | Failure {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const request = ofPod(pod, container, resource);
    if (typeof request !== "number") return request;
    requests.set(pod.metadata.name ?? "", request);
  }
  return requests;
}

/** Returns the requests of a pod. Pod-level requests take precedence over those of containers, unless a container is given. */
function ofPod(pod: Pod, container: string, resource: string): number | Failure {
  const { resources, overhead } = pod.spec;
  const podLevel = resources?.requests ?? {};
  if (container !== "" || Object.keys(podLevel).length === 0) return ofContainers(pod, container, resource);
  const request = podLevel[resource] ?? aggregateContainerRequests(pod.spec).get(resource);
  const over = overhead?.[resource];
  if (request === undefined && over === undefined) {
    return { failure: `missing pod-level request for ${resource} in Pod ${pod.metadata.name ?? ""}` };
  }
  const text = typeof request === "object" ? formatQuantity(request) : (request ?? "0");
  return quantityMilliValue(text) + quantityMilliValue(over ?? "0");
}

function ofContainers({ metadata, spec }: Pod, container: string, resource: string): number | Failure {
  const pod = metadata.name ?? "";
  const all = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  let sum = 0;
  for (const { name, resources } of all) {
    if (container !== "" && container !== name) continue;
    const request = resources.requests?.[resource];
    if (request === undefined) {
      return { failure: `missing request for ${resource} in container ${name} of Pod ${pod}` };
    }
    sum += quantityMilliValue(request);
    if (container === name) return sum;
  }
  return container === "" ? sum : { failure: `container ${container} not found in Pod ${pod}` };
}
