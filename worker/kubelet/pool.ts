// The addresses and pod CIDRs of a cluster's nodes, so that a new node gets free ones without a scan of all nodes.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { NumberPool } from "../kinds/core/node/pod-ranges.ts";
import type { ReconcileContext } from "../runtime/controller.ts";

type Client = ReconcileContext["client"];

/** Derived from the nodes when it is first needed, then updated with every change of a node. */
export interface NodePool {
  readonly ranges: NumberPool;
  readonly addresses: NumberPool;
}

export interface PoolMemory {
  pool: NodePool | undefined;
}

export function poolOf(memory: PoolMemory, client: Client): NodePool {
  if (memory.pool) return memory.pool;
  const pool = { ranges: new NumberPool(), addresses: new NumberPool() };
  memory.pool = pool;
  for (const node of client.each(nodes)) take(pool, node);
  return pool;
}

/** Applies a change of a node to the pool. To apply it twice is harmless. */
export function followNode({ pool }: PoolMemory, next: Node | undefined, previous: Node | undefined): void {
  if (!pool) return;
  if (previous) {
    if (previous.spec.podCIDR !== next?.spec.podCIDR) pool.ranges.release(previous.spec.podCIDR ?? "");
    const remaining = new Set(next?.status.addresses?.map(({ address }) => address));
    for (const { address } of previous.status.addresses ?? [])
      if (!remaining.has(address)) pool.addresses.release(address);
  }
  if (next) take(pool, next);
}

function take(pool: NodePool, { spec, status }: Node): void {
  if (spec.podCIDR) pool.ranges.take(spec.podCIDR);
  for (const { address } of status.addresses ?? []) pool.addresses.take(address);
}
