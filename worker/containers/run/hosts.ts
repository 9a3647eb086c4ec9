// The name of a pod in its network, and the files that contain it: /etc/hostname, /etc/hosts, /etc/resolv.conf.
import { type ClusterNetwork, dnsServiceAddress } from "../../../shared/k8s/settings/cluster-network.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";

const domain = "cluster.local";
/** The DNS server of the nodes: the gateway of their network. */
const nodeDns = "172.18.0.1";
const longestName = 63;

const ownHosts = [
  ["127.0.0.1", "localhost"],
  ["::1", "localhost ip6-localhost ip6-loopback"],
  ["fe00::0", "ip6-localnet"],
  ["fe00::0", "ip6-mcastprefix"],
  ["fe00::1", "ip6-allnodes"],
  ["fe00::2", "ip6-allrouters"],
];
/** The hosts file of a node, which containers in its network also have. */
const nodeHosts = [
  ["127.0.0.1", "localhost"],
  ["::1", "localhost ip6-localhost ip6-loopback"],
  ["fe00::", "ip6-localnet"],
  ["ff00::", "ip6-mcastprefix"],
  ["ff02::1", "ip6-allnodes"],
  ["ff02::2", "ip6-allrouters"],
];

/** Returns the hostname of a pod's containers (upstream: GeneratePodHostNameAndDomain). */
export function hostnameOf(pod: Pod): string {
  const { spec } = pod;
  if (spec.hostNetwork) return spec.nodeName ?? "";
  const { name, folder } = namesOf(pod);
  return spec.setHostnameAsFQDN && folder !== "" ? `${name}.${folder}` : name;
}

export function networkFiles(pod: Pod, ranges: ClusterNetwork): Readonly<Record<string, string>> {
  return {
    "/etc/hostname": `${hostnameOf(pod)}\n`,
    "/etc/hosts": hosts(pod),
    "/etc/resolv.conf": resolver(pod, ranges),
  };
}

function namesOf({ metadata, spec }: Pod): { readonly name: string; readonly folder: string } {
  const fullName = spec.hostnameOverride || spec.hostname || metadata.name || "";
  const name = fullName.length > longestName ? trimmedEnd(fullName.slice(0, longestName), "-.") : fullName;
  const isWhole = Boolean(spec.hostnameOverride) || !spec.subdomain;
  return { name, folder: isWhole ? "" : `${spec.subdomain}.${metadata.namespace ?? ""}.svc.${domain}` };
}

function hosts(pod: Pod): string {
  const { spec, status } = pod;
  const { name, folder } = namesOf(pod);
  const hostNames = folder === "" ? name : `${name}.${folder}\t${name}`;
  const addresses = status.podIPs?.map(({ ip = "" }) => ip) ?? (status.podIP ? [status.podIP] : []);
  const lines = spec.hostNetwork
    ? [...nodeHosts, ...addresses.map((ip) => [ip, spec.nodeName ?? ""])]
    : [...ownHosts, ...addresses.map((ip) => [ip, hostNames])];
  const aliases = (spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => [ip, hostnames.join("\t")]);
  return [
    `# Kubernetes-managed hosts file${spec.hostNetwork ? " (host network)" : ""}.`,
    ...lines.map((line) => line.join("\t")),
    ...(aliases.length > 0 ? ["", "# Entries added by HostAliases.", ...aliases.map((line) => line.join("\t"))] : []),
    "",
  ].join("\n");
}

/** Returns `/etc/resolv.conf` with the kubelet's settings in the format of containerd. */
function resolver({ metadata, spec }: Pod, ranges: ClusterNetwork): string {
  const { dnsPolicy = "ClusterFirst", dnsConfig, hostNetwork = false } = spec;
  const isCluster = dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork);
  const { namespace = "" } = metadata;
  const base = isCluster
    ? {
        servers: [dnsServiceAddress(ranges)],
        searches: [`${namespace}.svc.${domain}`, `svc.${domain}`, domain],
        options: new Map([["ndots", "5"]]),
      }
    : { servers: dnsPolicy === "None" ? [] : [nodeDns], searches: [], options: new Map<string, string>() };
  const servers = new Set([...base.servers, ...(dnsConfig?.nameservers ?? [])]);
  const searches = new Set([...base.searches, ...(dnsConfig?.searches ?? [])]);
  const options = new Map(base.options);
  for (const { name = "", value = "" } of dnsConfig?.options ?? []) options.set(name, value);
  const written = [...options].map(([name, value]) => (value === "" ? name : `${name}:${value}`));
  return [
    ...(searches.size > 0 ? [`search ${[...searches].join(" ")}\n`] : []),
    ...[...servers].map((server) => `nameserver ${server}\n`),
    ...(written.length > 0 ? [`options ${written.join(" ")}\n`] : []),
  ].join("");
}
