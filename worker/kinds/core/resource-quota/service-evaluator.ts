// Counts services towards quotas.
import type { Service } from "../../../../shared/k8s/api/core-v1.ts";
import type { Quantity } from "../../../../shared/k8s/quantity.ts";
import { oneObject } from "./amounts.ts";
import type { Evaluator } from "./evaluator.ts";

const resources = ["count/services", "services", "services.nodeports", "services.loadbalancers"];

export const serviceEvaluator: Evaluator<Service> = {
  handles: ({ subresource }) => subresource === "",
  counts: (resource) => resources.includes(resource),
  usage(service) {
    return new Map([
      ["count/services", oneObject],
      ["services", oneObject],
      ["services.nodeports", countQuantity(nodePorts(service))],
      ["services.loadbalancers", countQuantity(service.spec.type === "LoadBalancer" ? 1 : 0)],
    ]);
  },
  isAffected: (next, previous) => next.spec.type !== previous.spec.type || nodePorts(next) !== nodePorts(previous),
  inScope: () => false,
};

function nodePorts({ spec }: Service): number {
  const ports = spec.ports ?? [];
  if (spec.type !== "NodePort" && spec.type !== "LoadBalancer") return 0;
  const isOptional = spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false;
  return isOptional ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
}

function countQuantity(count: number): Quantity {
  return { nanos: BigInt(count) * oneObject.nanos, format: "DecimalSI" };
}
