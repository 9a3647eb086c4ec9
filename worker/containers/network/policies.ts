// Decides which connections the NetworkPolicies of a cluster allow. Pure.
import { type IpAddress, parseIp } from "../../../shared/k8s/ip.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "../../../shared/k8s/api/networking-v1.ts";
import { type Labels, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";

/** An end of a connection: a pod, or a host outside that has only an address. */
export interface End {
  readonly pod?: Pod | undefined;
  readonly address: string;
}

export interface Connection {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol: string;
}

export interface Rules {
  readonly policies: readonly NetworkPolicy[];
  labelsOf(namespace: string): Labels | undefined;
}

/** Reports whether both the sender's and the receiver's policies allow a connection. */
export function lets(rules: Rules, connection: Connection): boolean {
  const { from, to } = connection;
  if (rules.policies.length === 0 || (from.pod && from.pod.metadata.uid === to.pod?.metadata.uid)) return true;
  return agrees(rules, "Egress", connection) && agrees(rules, "Ingress", connection);
}

/** Reports whether any policy allows the connection. A pod that no policy selects is open. */
function agrees(rules: Rules, type: "Ingress" | "Egress", connection: Connection): boolean {
  const [end, peerEnd] = type === "Egress" ? [connection.from, connection.to] : [connection.to, connection.from];
  const { pod } = end;
  if (!pod || pod.spec.hostNetwork) return true;
  const those = rules.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      spec.policyTypes?.includes(type) &&
      labelSelectorAsSelector(spec.podSelector).matches(pod.metadata.labels),
  );
  if (those.length === 0) return true;
  return those.some(({ metadata, spec }) =>
    rulesOf(spec, type).some(
      ({ peers, ports }) =>
        (peers.length === 0 || peers.some((peer) => isPeer(rules, peer, peerEnd, metadata.namespace ?? ""))) &&
        (ports.length === 0 || ports.some((policyPort) => isPort(policyPort, connection))),
    ),
  );
}

function rulesOf(spec: NetworkPolicy["spec"], type: "Ingress" | "Egress") {
  return type === "Egress"
    ? (spec.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }))
    : (spec.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }));
}

/** Reports whether an end matches a peer. Pods on the host network are known only by their node's address. */
function isPeer(rules: Rules, peer: NetworkPolicyPeer, { pod, address }: End, home: string): boolean {
  if (peer.ipBlock) return isIn(peer.ipBlock, address);
  if (!pod || pod.spec.hostNetwork) return false;
  const { namespace = "", labels } = pod.metadata;
  const isThere = peer.namespaceSelector
    ? labelSelectorAsSelector(peer.namespaceSelector).matches(rules.labelsOf(namespace))
    : namespace === home;
  return isThere && (!peer.podSelector || labelSelectorAsSelector(peer.podSelector).matches(labels));
}

function isPort({ protocol = "TCP", port, endPort }: NetworkPolicyPort, { to, ...connection }: Connection): boolean {
  if (protocol !== connection.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === "number") return connection.port >= port && connection.port <= (endPort ?? port);
  const containers = [...(to.pod?.spec.containers ?? []), ...(to.pod?.spec.initContainers ?? [])];
  return containers.some(({ ports = [] }) =>
    ports.some(
      (containerPort) =>
        containerPort.name === port &&
        containerPort.containerPort === connection.port &&
        (containerPort.protocol ?? "TCP") === protocol,
    ),
  );
}

function isIn({ cidr, except = [] }: IPBlock, address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && within(cidr, ip) && !except.some((excludedRange) => within(excludedRange, ip));
}

function within(cidr: string, { bytes, family }: IpAddress): boolean {
  const [base = "", length = ""] = cidr.split("/");
  const range = parseIp(base);
  if (!range || range.family !== family) return false;
  const bits = Number(length);
  return bytes.every((byte, at) => {
    const shift = 8 - Math.max(0, Math.min(8, bits - at * 8));
    return byte >> shift === (range.bytes[at] ?? 0) >> shift;
  });
}
