// The address ranges of a cluster: those of Services, and those of the pods of its nodes.
import { formatIpv4, type Ipv4Range, parseIpv4Range } from "../ip.ts";

/** IPv4 ranges (CIDR), each written with its first address. */
export interface ClusterNetwork {
  /** `--service-cluster-ip-range` */
  readonly serviceCidr: string;
  /** `--cluster-cidr` */
  readonly podCidr: string;
}

/** kubeadm's defaults. */
export const defaultNetwork: ClusterNetwork = { serviceCidr: "10.96.0.0/12", podCidr: "10.244.0.0/16" };

/** Fills in the default for an absent range. */
export function networkOf({ serviceCidr, podCidr }: GivenNetwork): ClusterNetwork {
  return { serviceCidr: serviceCidr ?? defaultNetwork.serviceCidr, podCidr: podCidr ?? defaultNetwork.podCidr };
}

export interface GivenNetwork {
  readonly serviceCidr?: string | undefined;
  readonly podCidr?: string | undefined;
}

export function isDefaultNetwork({ serviceCidr, podCidr }: ClusterNetwork): boolean {
  return serviceCidr === defaultNetwork.serviceCidr && podCidr === defaultNetwork.podCidr;
}

/** Addresses in the range of one node (`--node-cidr-mask-size=24`). */
const nodeAddresses = 256;

/** Returns how many nodes get a range. With the default ranges there are more than fit into 10.244.0.0/16: see `podRange`. */
export function podRanges(network: ClusterNetwork): number {
  return isDefaultNetwork(network) ? 128 * 256 : Math.floor(rangeOf(network.podCidr).size / nodeAddresses);
}

/**
 * Returns the range of pods of the node with a number from 1 to `podRanges`. By default 10.244.<number>.0/24, then 10.245 up to 10.255,
 * then 10.128 up to 10.243, which do not overlap the Services'. Otherwise the ranges of `podCidr` in turn, its first one last.
 */
export function podRange(network: ClusterNetwork, number: number): string {
  if (isDefaultNetwork(network)) {
    const block = Math.floor(number / 256);
    const second = block < 12 ? 244 + block : 116 + block;
    return `10.${second}.${number % 256}.0/24`;
  }
  const { first } = rangeOf(network.podCidr);
  return `${formatIpv4(first + (number % podRanges(network)) * nodeAddresses)}/24`;
}

/** Returns the range that contains all results of `podRange`. */
export function allPods(network: ClusterNetwork): string {
  return isDefaultNetwork(network) ? "10.128.0.0/9" : network.podCidr;
}

/** Returns the address of the Service `default/kubernetes`: the first one. */
export function apiServiceAddress({ serviceCidr }: ClusterNetwork): string {
  return addressIn(serviceCidr, 1);
}

/** Returns the address of the Service `kube-system/kube-dns`: the tenth one. */
export function dnsServiceAddress({ serviceCidr }: ClusterNetwork): string {
  return addressIn(serviceCidr, 10);
}

/** Returns the source address of requests that the API proxies. */
export function proxyAddress({ podCidr }: ClusterNetwork): string {
  return addressIn(podCidr, 1);
}

/** Returns the last address of pods before the broadcast address. */
export function lastPodAddress({ podCidr }: ClusterNetwork): string {
  return addressIn(podCidr, rangeOf(podCidr).size - 2);
}

function addressIn(cidr: string, offset: number): string {
  return formatIpv4(rangeOf(cidr).first + offset);
}

function rangeOf(cidr: string): Ipv4Range {
  return parseIpv4Range(cidr) ?? { first: 0, size: 0 };
}

/** Ranges of nodes and load balancers, and ranges that no endpoint may have. */
const reservedRanges: readonly (readonly [string, string])[] = [
  ["172.18.0.0/16", "the nodes' own addresses"],
  ["203.0.113.0/24", "the addresses of load balancers"],
  ["0.0.0.0/8", "addresses that no host may have"],
  ["127.0.0.0/8", "loopback addresses"],
  ["169.254.0.0/16", "link-local addresses"],
  ["224.0.0.0/3", "multicast and reserved addresses"],
];

/** Returns why ranges that are well-formed do not fit so many nodes, or undefined if they do. */
export function networkProblem(
  ranges: GivenNetwork,
  nodes: number,
): { readonly field: string; readonly message: string } | undefined {
  const network = networkOf(ranges);
  const { serviceCidr, podCidr } = network;
  for (const field of ["serviceCidr", "podCidr"] as const) {
    const reserved = reservedRanges.find(([range]) => overlap(network[field], range));
    if (reserved) return { field, message: `${network[field]} overlaps ${reserved[1]} (${reserved[0]})` };
  }
  if (overlap(serviceCidr, podCidr)) {
    const field = ranges.podCidr === undefined ? "serviceCidr" : "podCidr";
    return { field, message: `the ranges of Services (${serviceCidr}) and of pods (${podCidr}) overlap` };
  }
  const most = podRanges(network);
  if (nodes <= most) return undefined;
  const message = `${podCidr} has room for ${most} nodes with a /24 each, and ${nodes} are asked for`;
  return { field: "podCidr", message };
}

function overlap(left: string, right: string): boolean {
  const [a, b] = [rangeOf(left), rangeOf(right)];
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

/** Returns why a text is not a valid range of Services, which is a /12 to a /28 as in kube-apiserver and kubeadm. */
export function serviceCidrProblem(text: string): string | undefined {
  return cidrProblem(text, 12, 28);
}

/** Returns why a text is not a valid range of pods. Each node takes a /24 of it, and a /8 is the largest range. */
export function podCidrProblem(text: string): string | undefined {
  return cidrProblem(text, 8, 24);
}

function cidrProblem(text: string, widest: number, narrowest: number): string | undefined {
  const [address = "", bits = ""] = text.split("/");
  const range = parseIpv4Range(text);
  if (!range || /^0\d/.test(bits)) return "must be an IPv4 range, such as 10.96.0.0/16";
  if (Number(bits) < widest || Number(bits) > narrowest) return `must be a /${widest} to a /${narrowest}`;
  const first = formatIpv4(range.first);
  return first === address ? undefined : `must begin with the first address of the range: ${first}/${bits}`;
}
