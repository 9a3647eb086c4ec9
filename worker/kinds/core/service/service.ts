// The kind Service: types, cluster IPs and node ports.
import type { Service, ServiceSpec } from "../../../../shared/k8s/api/core-v1.ts";
import { formatLabels } from "../../../../shared/k8s/selectors/labels.ts";
import { dns1035Label, dns1123Label, unprefixed } from "../../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import { type WriteContext, defineKind } from "../../kind.ts";
import { addressesOf, allocClusterIps, clusterFamilies, updateClusterIps } from "./cluster-ip.ts";
import { initIpFamilyFields } from "./ip-families.ts";
import { allocateNodePorts, updateNodePorts } from "./node-ports.ts";
import {
  dropTypeDependentFields,
  dropInternalPolicy,
  patchAllocatedValues,
  normalizeClusterIps,
} from "./patch-update.ts";
import { portsOf, isExternallyAccessible } from "./traits.ts";
import { validateClusterIpsUpdate } from "./validation/cluster-ips.ts";
import { validateService } from "./validation/service.ts";
import { validateLoadBalancerStatus, validateTrafficUpdate } from "./validation/traffic.ts";
import { path } from "../../../../shared/k8s/field.ts";
import { getWarningsForCidr, getWarningsForIp } from "../../common/ip-validation.ts";

const spec = path("spec");

const affinitySeconds = 10_800;

export const services = defineKind<Service>("", "v1", "services", {
  resourcePrefix: "services/specs",
  // Since 1.36, upstream allows names that start with a digit.
  validateName: unprefixed(dns1123Label),
  inRelease: ({ minor, isEnabled }) => ({
    ...(isEnabled("RelaxedServiceNameValidation") ? {} : { validateName: unprefixed(dns1035Label) }),
    warnings: (service) => serviceWarnings(service).filter((warning) => minor >= (warningsSince.get(warning) ?? 0)),
  }),
  allowCreateOnUpdate: true,
  deletion: { returnsObject: true },
  defaults: defaultService,
  prepareForCreate(draft, context) {
    normalizeClusterIps(draft, undefined);
    initIpFamilyFields(draft, undefined, clusterFamilies(context));
    allocClusterIps(draft, context);
    if (usesNodePorts(draft)) allocateNodePorts(draft, context.list(services), context);
    dropInternalPolicy(draft);
  },
  prepareForUpdate(draft, previous, context) {
    patchAllocatedValues(draft, previous);
    normalizeClusterIps(draft, previous);
    initIpFamilyFields(draft, previous, clusterFamilies(context));
    updateClusterIps(draft, previous, context);
    if (usesNodePorts(draft)) updateNodePorts(draft, previous, othersThan(previous, context), context);
    dropTypeDependentFields(draft, previous);
    dropInternalPolicy(draft);
  },
  validate: validateService,
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateClusterIpsUpdate(next, previous),
    ...validateTrafficUpdate(next, previous),
    ...check.validate(),
  ],
  companions: addressesOf,
  warnings: serviceWarnings,
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateLoadBalancerStatus,
    },
  },
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec.clusterIP ?? "", "spec.type": spec.type ?? "" }),
  columns: [
    nameColumn,
    { name: "Type", type: "string", description: "How the service is exposed.", cell: ({ spec }) => spec.type ?? "" },
    {
      name: "Cluster-IP",
      type: "string",
      description: "The address inside the cluster.",
      cell: ({ spec }) => spec.clusterIPs?.[0] ?? "<none>",
    },
    { name: "External-IP", type: "string", description: "Addresses from outside.", cell: externalIp },
    { name: "Port(s)", type: "string", description: "Ports, with their node ports.", cell: portList },
    ageColumn,
    {
      name: "Selector",
      type: "string",
      priority: 1,
      description: "Labels of the pods behind the service.",
      cell: ({ spec }) => formatLabels(spec.selector),
    },
  ],
});

/** Reports whether a Service uses node ports. Others need no list of allocated ports. */
function usesNodePorts({ spec }: Service): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

function othersThan({ metadata }: Service, context: WriteContext): Service[] {
  return [...context.list(services)].filter((service) => service.metadata.uid !== metadata.uid);
}

function externalIp({ spec, status }: Service): string {
  const externalIPs = spec.externalIPs ?? [];
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.join(",") || "<none>";
    case "LoadBalancer": {
      const balanced = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      return [...[...new Set(balanced.filter(Boolean))].sort(), ...externalIPs].join(",") || "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function portList(service: Service): string {
  const texts = portsOf(service).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return texts.join(",") || "<none>";
}

function defaultService(draft: Service): void {
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

const externalIpsWarning = "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
const preferCloseWarning = 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
/** The minor versions that first had a warning, for those that older releases lack. */
const warningsSince: ReadonlyMap<string, number> = new Map([
  [externalIpsWarning, 36],
  [preferCloseWarning, 35],
]);

function serviceWarnings({ metadata, spec: of }: Service): string[] {
  const { externalIPs = [], clusterIPs = [], loadBalancerSourceRanges = [], loadBalancerIP } = of;
  const isHeadless = of.type === "ClusterIP" && of.clusterIP === "None";
  const isExternal = of.type === "ExternalName";
  const hasIp = Boolean(of.clusterIP) && of.clusterIP !== "None" && !isExternal;
  const warnings: (string | false | undefined)[] = [
    hasTopologyHints(metadata.annotations) &&
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
    ...(hasIp ? clusterIPs.flatMap((ip, at) => getWarningsForIp(ip, spec.child("clusterIPs").index(at))) : []),
    isHeadless && loadBalancerIP && "spec.loadBalancerIP is ignored for headless services",
    isHeadless && externalIPs.length > 0 && "spec.externalIPs is ignored for headless services",
    isHeadless && of.sessionAffinity !== "None" && "spec.SessionAffinity is ignored for headless services",
    ...externalIPs.flatMap((ip, at) => getWarningsForIp(ip, spec.child("externalIPs").index(at))),
    externalIPs.length > 0 && !isHeadless && !isExternal && externalIpsWarning,
    ...(loadBalancerIP ? getWarningsForIp(loadBalancerIP, spec.child("loadBalancerIP")) : []),
    ...loadBalancerSourceRanges.flatMap((cidr, at) =>
      getWarningsForCidr(cidr, spec.child("loadBalancerSourceRanges").index(at)),
    ),
    isExternal && externalIPs.length > 0 && 'spec.externalIPs is ignored when spec.type is "ExternalName"',
    !isExternal && of.externalName && 'spec.externalName is ignored when spec.type is not "ExternalName"',
    of.trafficDistribution === "PreferClose" && preferCloseWarning,
  ];
  return warnings.filter((warning): warning is string => typeof warning === "string" && warning !== "");
}

function hasTopologyHints(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return annotations?.["service.kubernetes.io/topology-aware-hints"] !== undefined;
}
