// Validates Services: upstream's `ValidateService` and `ValidateServiceUpdate`.
import type { Service, ServicePort } from "../../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
} from "../../../../../shared/k8s/field.ts";
import {
  dns1123Label,
  dns1123Subdomain,
  portName,
  portNumber,
  qualifiedName,
} from "../../../../../shared/k8s/names.ts";
import { validateLabels } from "../../../../../shared/k8s/validate-meta.ts";
import { each, validateProtocol } from "../../../common/checks.ts";
import { validateEndpointIp, validateIpForLegacyField } from "../../../common/ip-validation.ts";
import { isHeadless, portsOf } from "../traits.ts";
import { validateServiceClusterIpsRelatedFields } from "./cluster-ips.ts";
import { validateLoadBalancer, validateTraffic } from "./traffic.ts";
import { repeatsOf } from "../../../../../shared/k8s/repeats.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const maxAffinitySeconds = 86_400;
const spec = path("spec");

export function validateService(service: Service): FieldError[] {
  return [
    ...validateTopology(service),
    ...validateByType(service),
    ...validatePorts(service),
    ...validateLabels(service.spec.selector, spec.child("selector")),
    ...validateAffinity(service),
    ...validateServiceClusterIpsRelatedFields(service),
    ...validateExternalIps(service),
    ...validateType(service),
    ...validateRepeatedPorts(service),
    ...validateLoadBalancer(service),
    ...validateTraffic(service),
  ];
}

function validateTopology({ metadata: { annotations = {} } }: Service): FieldError[] {
  const mode = "service.kubernetes.io/topology-mode";
  const hints = "service.kubernetes.io/topology-aware-hints";
  const modeValue = annotations[mode];
  if (modeValue === undefined || annotations[hints] === undefined || modeValue === annotations[hints]) return [];
  const why = `must match annotations[${hints}] when both are specified`;
  return [invalid(path("metadata", "annotations").key(mode), modeValue, why)];
}

function validateByType(service: Service): FieldError[] {
  const { type, externalName = "" } = service.spec;
  const errors: FieldError[] = [];
  if (!portsOf(service).length && !isHeadless(service) && type !== "ExternalName") {
    errors.push(required(spec.child("ports")));
  }
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(service)) {
    const why = `may not be set to 'None' for ${type} services`;
    errors.push(invalid(spec.child("clusterIPs").index(0), "None", why));
  }
  if (type !== "ExternalName") return errors;
  for (const field of ["clusterIPs", "ipFamilies"] as const) {
    if (!service.spec[field]?.length) continue;
    errors.push(forbidden(spec.child(field), "may not be set for ExternalName services"));
  }
  if (service.spec.ipFamilyPolicy !== undefined) {
    errors.push(forbidden(spec.child("ipFamilyPolicy"), "may not be set for ExternalName services"));
  }
  const at = spec.child("externalName");
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName;
  return [...errors, ...(name ? each(dns1123Subdomain(name), at, name) : [required(at)])];
}

function validatePorts(service: Service): FieldError[] {
  const ports = portsOf(service);
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = spec.child("ports").index(index);
    const { name } = port;
    const errors: FieldError[] = [];
    if (name) {
      errors.push(...each(dns1123Label(name), at.child("name"), name));
      if (names.has(name)) errors.push(duplicate(at.child("name"), name));
      names.add(name);
    } else if (ports.length > 1) errors.push(required(at.child("name")));
    return [...errors, ...validatePort(port, at)];
  });
}

function validatePort({ port, protocol, targetPort = 0, appProtocol }: ServicePort, at: FieldPath): FieldError[] {
  const target = typeof targetPort === "number" ? portNumber(targetPort) : portName(targetPort);
  const errors = [
    ...each(portNumber(port), at.child("port"), port),
    ...validateProtocol(protocol, at.child("protocol")),
    ...each(target, at.child("targetPort"), targetPort),
  ];
  if (appProtocol === undefined) return errors;
  return [...errors, ...each(qualifiedName(appProtocol), at.child("appProtocol"), appProtocol)];
}

function validateAffinity({ spec: { sessionAffinity, sessionAffinityConfig: config } }: Service): FieldError[] {
  const field = spec.child("sessionAffinity");
  const at = spec.child("sessionAffinityConfig");
  if (!sessionAffinity) return [required(field)];
  if (!affinities.includes(sessionAffinity)) return [notSupported(field, sessionAffinity, affinities)];
  if (sessionAffinity === "None") {
    return config ? [forbidden(at, "must not be set when session affinity is None")] : [];
  }
  const why = "when session affinity type is ClientIP";
  if (!config) return [required(at, why)];
  if (!config.clientIP) return [required(at.child("clientIP"), why)];
  const timeout = config.clientIP.timeoutSeconds;
  const where = at.child("clientIP", "timeoutSeconds");
  if (timeout === undefined) return [required(where, why)];
  if (timeout > 0 && timeout <= maxAffinitySeconds) return [];
  return [invalid(where, timeout, `must be greater than 0 and less than ${maxAffinitySeconds}`)];
}

function validateExternalIps({ spec: { externalIPs = [] } }: Service): FieldError[] {
  return externalIPs.flatMap((ip, index) => {
    const at = spec.child("externalIPs").index(index);
    const errors = validateIpForLegacyField(ip, at);
    return errors.length ? errors : validateEndpointIp(ip, at);
  });
}

function validateType(service: Service): FieldError[] {
  const { type } = service.spec;
  const at = spec.child("type");
  if (!type) return [required(at)];
  const errors = types.includes(type) ? [] : [notSupported(at, type, types)];
  if (type !== "ClusterIP") return errors;
  portsOf(service).forEach(({ nodePort }, index) => {
    if (!nodePort) return;
    const where = spec.child("ports").index(index).child("nodePort");
    errors.push(forbidden(where, "may not be used when `type` is 'ClusterIP'"));
  });
  return errors;
}

/** Validates that ports and node ports are unique by protocol. */
function validateRepeatedPorts(service: Service): FieldError[] {
  const ports = portsOf(service);
  const nodePortRepeats = repeatsOf(ports, ({ protocol, nodePort }) => `${protocol}/${nodePort ?? ""}`);
  const portRepeats = repeatsOf(ports, ({ protocol, port }) => `${protocol}/${port}`);
  const at = (index: number) => spec.child("ports").index(index);
  const nodePorts = ports.flatMap(({ nodePort }, index) => {
    if (!nodePort) return [];
    return nodePortRepeats[index] ? [duplicate(at(index).child("nodePort"), nodePort)] : [];
  });
  const repeats = ports.flatMap((port, index) =>
    portRepeats[index] ? [duplicate(at(index), internalPort(port))] : [],
  );
  return [...nodePorts, ...repeats];
}

/** Upstream prints its internal struct with the compared fields, which have no JSON names. */
function internalPort({ protocol, port }: ServicePort): unknown {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}
