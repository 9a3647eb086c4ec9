// What a Service may say but should not: upstream's `GetWarningsForService`.
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import { path } from "../../../shared/k8s/field.ts";
import { cidrWarnings, ipWarnings } from "../network/validate-ip.ts";

const spec = path("spec");

export function serviceWarnings({ metadata, spec: of }: Service): string[] {
  const { externalIPs = [], clusterIPs = [], loadBalancerSourceRanges = [], loadBalancerIP } = of;
  const isHeadless = of.type === "ClusterIP" && of.clusterIP === "None";
  const isExternal = of.type === "ExternalName";
  const hasIp = Boolean(of.clusterIP) && of.clusterIP !== "None" && !isExternal;
  const warnings: (string | false | undefined)[] = [
    hasTopologyHints(metadata.annotations) &&
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
    ...(hasIp ? clusterIPs.flatMap((ip, at) => ipWarnings(ip, spec.child("clusterIPs").index(at))) : []),
    isHeadless && loadBalancerIP && "spec.loadBalancerIP is ignored for headless services",
    isHeadless && externalIPs.length > 0 && "spec.externalIPs is ignored for headless services",
    isHeadless && of.sessionAffinity !== "None" && "spec.SessionAffinity is ignored for headless services",
    ...externalIPs.flatMap((ip, at) => ipWarnings(ip, spec.child("externalIPs").index(at))),
    externalIPs.length > 0 &&
      !isHeadless &&
      !isExternal &&
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ...(loadBalancerIP ? ipWarnings(loadBalancerIP, spec.child("loadBalancerIP")) : []),
    ...loadBalancerSourceRanges.flatMap((cidr, at) =>
      cidrWarnings(cidr, spec.child("loadBalancerSourceRanges").index(at)),
    ),
    isExternal && externalIPs.length > 0 && 'spec.externalIPs is ignored when spec.type is "ExternalName"',
    !isExternal && of.externalName && 'spec.externalName is ignored when spec.type is not "ExternalName"',
    of.trafficDistribution === "PreferClose" &&
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  ];
  return warnings.filter((one): one is string => typeof one === "string" && one !== "");
}

function hasTopologyHints(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return annotations?.["service.kubernetes.io/topology-aware-hints"] !== undefined;
}
