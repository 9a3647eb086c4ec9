// Node IPAM: assigns a pod CIDR to every node. Simulated nodes get theirs at registration.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { nextPodRange, NumberPool } from "../kinds/core/node/pod-ranges.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import type { Client } from "../registry/client.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

interface Memory {
  /** The allocated ranges. Derived from the nodes on first use, then updated by every change of a node. */
  pool: NumberPool | undefined;
}

export const nodeIpamController = defineController({
  name: "node-ipam-controller",
  user: "system:serviceaccount:kube-system:node-controller",
  component: "cidrAllocator",
  memory: (): Memory => ({ pool: undefined }),
  watches: [
    watch<Node, Memory>(nodes, function* (next, previous, _client, { pool }) {
      const range = next?.spec.podCIDR;
      if (previous?.spec.podCIDR && previous.spec.podCIDR !== range) pool?.release(previous.spec.podCIDR);
      if (range) pool?.take(range);
      else if (next && !isSimulated(next)) yield requestOf(next);
    }),
  ],
  reconcile({ name }, { client, event, memory }) {
    const node = client.get(nodes, "", name);
    if (!node || node.spec.podCIDR || isSimulated(node) || node.metadata.deletionTimestamp) return undefined;
    const podCIDR = nextPodRange(poolOf(memory, client), client.network);
    if (podCIDR === undefined) {
      event(node, "Normal", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
      return undefined;
    }
    client.update(nodes, { ...node, spec: { ...node.spec, podCIDR, podCIDRs: [podCIDR] } });
    return undefined;
  },
});

function poolOf(memory: Memory, client: Client): NumberPool {
  if (memory.pool) return memory.pool;
  const pool = new NumberPool();
  memory.pool = pool;
  for (const { spec } of client.each(nodes)) if (spec.podCIDR) pool.take(spec.podCIDR);
  return pool;
}
