// Defaults of Services: upstream's `SetDefaults_Service`.
import type { Service, ServiceSpec } from "../../../shared/k8s/api/core-v1.ts";
import { isExternallyAccessible } from "./traits.ts";

const affinitySeconds = 10_800;

export function defaultService(draft: Service): void {
  const { spec } = draft;
  spec.sessionAffinity ||= "None";
  defaultAffinity(spec);
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(draft)) spec.externalTrafficPolicy ||= "Cluster";
  if (["ClusterIP", "LoadBalancer", "NodePort"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of draft.status.loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
}

function defaultAffinity(spec: ServiceSpec): void {
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== "ClientIP" || spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
}
