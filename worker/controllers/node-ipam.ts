// Node IPAM: every node gets a range of addresses for its pods. Simulated nodes get theirs with all else when they register.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { Numbered, podRange, podRanges } from "../kinds/core/node/pod-ranges.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import type { Client } from "../registry/client.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

/** The ranges that are taken: derived from the nodes when first asked for, then kept by every change of one. */
const pools = new WeakMap<Client, Numbered>();

export const nodeIpamController = defineController({
  name: "node-ipam-controller",
  user: "system:serviceaccount:kube-system:node-controller",
  component: "cidrAllocator",
  watches: [
    watch<Node>(nodes, function* (next, previous, client) {
      const pool = pools.get(client);
      const range = next?.spec.podCIDR;
      if (previous?.spec.podCIDR && previous.spec.podCIDR !== range) pool?.release(previous.spec.podCIDR);
      if (range) pool?.take(range);
      else if (next && !isSimulated(next)) yield requestOf(next);
    }),
  ],
  reconcile({ name }, { client, event }) {
    const node = client.get(nodes, "", name);
    if (!node || node.spec.podCIDR || isSimulated(node) || node.metadata.deletionTimestamp) return undefined;
    const podCIDR = poolOf(client).next(podRange, podRanges);
    if (podCIDR === undefined) {
      event(node, "Normal", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
      return undefined;
    }
    client.update(nodes, { ...node, spec: { ...node.spec, podCIDR, podCIDRs: [podCIDR] } });
    return undefined;
  },
});

function poolOf(client: Client): Numbered {
  const known = pools.get(client);
  if (known) return known;
  const pool = new Numbered();
  pools.set(client, pool);
  for (const { spec } of client.each(nodes)) if (spec.podCIDR) pool.take(spec.podCIDR);
  return pool;
}
