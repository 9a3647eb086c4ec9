// The order in which nodes are looked at: zone by zone in turn, so that what is looked at first is spread (upstream: `nodeTree`).
import type { NodeInfo } from "./node-info.ts";

export function inZoneOrder(nodes: Iterable<NodeInfo>): NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const members = zones.get(zone);
    if (members) members.push(node);
    else zones.set(zone, [node]);
  }
  const order: NodeInfo[] = [];
  const longest = Math.max(0, ...[...zones.values()].map((members) => members.length));
  for (let at = 0; at < longest; at++) {
    for (const members of zones.values()) {
      const node = members[at];
      if (node) order.push(node);
    }
  }
  return order;
}

/** Region and zone in one. */
export function zoneOf({ facts: { labels } }: NodeInfo): string {
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  return `${region}\n${zone}`;
}
