// What of a Service matters to its load balancer, and what is told when it changes (upstream: `needsUpdate`). Pure.
import type { Service, ServicePort } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";

export interface BalancerChange {
  readonly reason: string;
  readonly message: string;
}

type Told = string | number | readonly string[] | undefined;

/** A class of its own is for another controller. */
export function wantsBalancer({ spec }: Service): boolean {
  return spec.type === "LoadBalancer" && spec.loadBalancerClass === undefined;
}

/** Whether the load balancer has to be made anew or taken down. */
export function needsBalancerUpdate(next: Service, previous: Service): boolean {
  if (wantsBalancer(next) !== wantsBalancer(previous)) return true;
  return wantsBalancer(next) && !semanticEqual(relevant(next), relevant(previous));
}

/** Upstream tells of the first difference only. */
export function balancerChange(next: Service, previous: Service): BalancerChange | undefined {
  const [now, before] = [next.spec, previous.spec];
  const arrow = (reason: string, from: Told, to: Told) => ({ reason, message: `${text(from)} -> ${text(to)}` });
  if (wantsBalancer(next) !== wantsBalancer(previous)) return arrow("Type", before.type, now.type);
  const ranges = [before.loadBalancerSourceRanges ?? [], now.loadBalancerSourceRanges ?? []];
  if (!semanticEqual(ranges[0], ranges[1])) return arrow("LoadBalancerSourceRanges", ranges[0], ranges[1]);
  if (!semanticEqual(portsOf(previous), portsOf(next)) || before.sessionAffinity !== now.sessionAffinity) {
    return undefined;
  }
  if ((before.loadBalancerIP ?? "") !== (now.loadBalancerIP ?? "")) {
    return arrow("LoadbalancerIP", before.loadBalancerIP, now.loadBalancerIP);
  }
  const [old = [], external = []] = [before.externalIPs, now.externalIPs];
  if (old.length !== external.length) {
    return { reason: "ExternalIP", message: `Count: ${old.length} -> ${external.length}` };
  }
  const added = external.find((ip, at) => ip !== old[at]);
  if (added !== undefined) return { reason: "ExternalIP", message: `Added: ${added}` };
  if (!semanticEqual(previous.metadata.annotations, next.metadata.annotations)) return undefined;
  if (before.externalTrafficPolicy !== now.externalTrafficPolicy) {
    return arrow("ExternalTrafficPolicy", before.externalTrafficPolicy, now.externalTrafficPolicy);
  }
  if ((before.healthCheckNodePort ?? 0) !== (now.healthCheckNodePort ?? 0)) {
    return arrow("HealthCheckNodePort", before.healthCheckNodePort ?? 0, now.healthCheckNodePort ?? 0);
  }
  return undefined;
}

function relevant(service: Service) {
  const { spec, metadata } = service;
  return [
    spec.loadBalancerSourceRanges ?? [],
    portsOf(service),
    spec.sessionAffinity,
    spec.loadBalancerIP ?? "",
    spec.externalIPs ?? [],
    metadata.annotations ?? {},
    spec.externalTrafficPolicy,
    spec.healthCheckNodePort ?? 0,
    spec.ipFamilies?.length ?? 0,
  ];
}

function portsOf({ spec }: Service): Partial<ServicePort>[] {
  return (spec.ports ?? []).map(({ name = "", protocol = "TCP", port, nodePort = 0 }) => ({
    name,
    protocol,
    port,
    nodePort,
  }));
}

/** As Go prints it. */
function text(value: Told): string {
  return typeof value === "object" ? `[${value.join(" ")}]` : String(value ?? "");
}
