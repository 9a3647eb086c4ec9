// Validates traffic policies and the fields of load balancers.
import type { Service } from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  notSupportedInOrder,
  path,
  required,
} from "../../../../../shared/k8s/field.ts";
import { dns1123Subdomain, portNumber, qualifiedName } from "../../../../../shared/k8s/names.ts";
import { parseIp } from "../../../../../shared/k8s/ip.ts";
import { each } from "../../../common/checks.ts";
import { validateCidrForLegacyField, validateIpForLegacyField } from "../../../common/ip-validation.ts";
import { isExternallyAccessible, needsHealthCheck } from "../traits.ts";

const policies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const ipModes = ["Proxy", "VIP"];
const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'";
const spec = path("spec");

export function validateLoadBalancer(service: Service): FieldError[] {
  const { type, allocateLoadBalancerNodePorts: allocate } = service.spec;
  const isBalanced = type === "LoadBalancer";
  const errors = validateSourceRanges(service);
  if (allocate !== undefined && !isBalanced) {
    errors.push(forbidden(spec.child("allocateLoadBalancerNodePorts"), onlyLoadBalancers));
  }
  if (allocate === undefined && isBalanced) errors.push(required(path("allocateLoadBalancerNodePorts")));
  return [...errors, ...validateClass(service)];
}

function validateClass({ spec: { type, loadBalancerClass } }: Service): FieldError[] {
  if (loadBalancerClass === undefined) return [];
  const at = spec.child("loadBalancerClass");
  if (type !== "LoadBalancer") return [forbidden(at, onlyLoadBalancers)];
  return each(qualifiedName(loadBalancerClass), at, loadBalancerClass);
}

export function validateTraffic(service: Service): FieldError[] {
  const { internalTrafficPolicy: internal, trafficDistribution: distribution, type = "" } = service.spec;
  const errors = [...validateExternalPolicy(service), ...validateHealthCheckPort(service)];
  const at = spec.child("internalTrafficPolicy");
  if (internal === undefined) {
    if (["ClusterIP", "LoadBalancer", "NodePort"].includes(type)) errors.push(required(at));
  } else if (!policies.includes(internal)) errors.push(notSupported(at, internal, policies));
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.push(notSupportedInOrder(spec.child("trafficDistribution"), distribution, distributions));
  }
  return errors;
}

export function validateTrafficUpdate(next: Service, previous: Service): FieldError[] {
  const errors: FieldError[] = [];
  const areBalanced = next.spec.type === "LoadBalancer" && previous.spec.type === "LoadBalancer";
  if (areBalanced && next.spec.loadBalancerClass !== previous.spec.loadBalancerClass) {
    errors.push(invalid(spec.child("loadBalancerClass"), next.spec.loadBalancerClass, "may not change once set"));
  }
  // Upstream validates it again with the new Service.
  errors.push(...validateClass(next));
  if (needsHealthCheck(next) && needsHealthCheck(previous)) {
    if (next.spec.healthCheckNodePort !== previous.spec.healthCheckNodePort) {
      errors.push(forbidden(spec.child("healthCheckNodePort"), "field is immutable"));
    }
  }
  return errors;
}

export function validateLoadBalancerStatus({ spec: { type }, status }: Service): FieldError[] {
  const at = path("status", "loadBalancer", "ingress");
  const ingress = status.loadBalancer.ingress ?? [];
  if (type !== "LoadBalancer") {
    return ingress.length ? [forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")] : [];
  }
  return ingress.flatMap(({ ip, hostname, ipMode }, index) => [
    ...(ip ? validateIpForLegacyField(ip, at.index(index).child("ip")) : []),
    ...validateIpMode(ip, ipMode, at.index(index).child("ipMode")),
    ...(hostname ? validateHostname(hostname, at.index(index).child("hostname")) : []),
  ]);
}

function validateSourceRanges({ spec: { type, loadBalancerSourceRanges = [] }, metadata }: Service): FieldError[] {
  const check = (values: readonly string[], at: (index: number) => FieldPath, listPath: FieldPath) => [
    ...(type === "LoadBalancer" ? [] : [forbidden(listPath, onlyLoadBalancers)]),
    ...values.flatMap((value, index) => validateCidrForLegacyField(value.trim(), at(index))),
  ];
  // Upstream capitalizes this field in its messages.
  const field = spec.child("LoadBalancerSourceRanges");
  if (loadBalancerSourceRanges.length) return check(loadBalancerSourceRanges, (index) => field.index(index), field);
  const annotated = metadata.annotations?.[sourceRanges];
  if (annotated === undefined) return [];
  const at = path("metadata", "annotations").key(sourceRanges);
  return check(annotated.trim() ? annotated.trim().split(",") : [], () => at, at);
}

function validateExternalPolicy(service: Service): FieldError[] {
  const policy = service.spec.externalTrafficPolicy;
  const at = spec.child("externalTrafficPolicy");
  if (!isExternallyAccessible(service)) {
    return policy ? [invalid(at, policy, "may only be set for externally-accessible services")] : [];
  }
  if (!policy) return [required(at)];
  return policies.includes(policy) ? [] : [notSupported(at, policy, policies)];
}

function validateHealthCheckPort(service: Service): FieldError[] {
  const port = service.spec.healthCheckNodePort ?? 0;
  const at = spec.child("healthCheckNodePort");
  if (needsHealthCheck(service)) return port ? each(portNumber(port), at, port) : [required(at)];
  const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return port ? [invalid(at, port, why)] : [];
}

function validateIpMode(ip: string | undefined, mode: string | undefined, at: FieldPath): FieldError[] {
  if (mode === undefined) return ip ? [required(at, "must be specified when `ip` is set")] : [];
  if (!ip) return [forbidden(at, "may not be specified when `ip` is not set")];
  return ipModes.includes(mode) ? [] : [notSupported(at, mode, ipModes)];
}

function validateHostname(name: string, at: FieldPath): FieldError[] {
  const errors = each(dns1123Subdomain(name), at, name);
  return parseIp(name) ? [...errors, invalid(at, name, "must be a DNS name, not an IP address")] : errors;
}
