// Changes the number of simulated nodes of a running cluster, as a cloud provider's node group does. New nodes join with the next numbers.
// Those with the highest numbers are deleted, and controllers remove their pods.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import { leases } from "../../kinds/coordination/lease.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { isSimulated } from "../../kinds/core/node/simulated.ts";
import type { Client } from "../../registry/client.ts";
import { addNodes } from "./bootstrap.ts";

/** The nodes that one turn adds or deletes. */
const nodesPerTurn = 50;

/** Does a part of the change. Returns true if the cluster has the requested number of simulated nodes. */
export function scaleSomeNodes(client: Client, count: number, nowMs: number): boolean {
  const simulated = [...client.each(nodes)].filter(isSimulated);
  const missing = count - simulated.length;
  if (missing >= 0) addSome(client, simulated, { missing, nowMs });
  else deleteSome(client, simulated, -missing);
  return Math.abs(missing) <= nodesPerTurn;
}

function addSome(
  client: Client,
  simulated: readonly Node[],
  { missing, nowMs }: { readonly missing: number; readonly nowMs: number },
): void {
  // Nodes with names of their own have the first numbers.
  let number = Math.max(simulated.length, ...simulated.map(numberOf));
  for (let added = 0; added < Math.min(missing, nodesPerTurn); added++) {
    do number++;
    while (client.get(nodes, "", `node-${number}`));
    addNodes(client, { from: number, to: number, nowMs, systemPods: true });
  }
}

function deleteSome(client: Client, simulated: readonly Node[], surplus: number): void {
  const highestFirst = simulated.toSorted((a, b) => numberOf(b) - numberOf(a));
  for (const { metadata } of highestFirst.slice(0, Math.min(surplus, nodesPerTurn))) {
    const { name = "" } = metadata;
    client.tryDelete(nodes, "", name);
    // A node that joins with this name before garbage collection needs a lease of its own.
    client.tryDelete(leases, "kube-node-lease", name);
  }
}

/** Returns the number in the name of a node; 0 for a name of its own. */
function numberOf({ metadata: { name = "" } }: Node): number {
  return Number(/^node-(\d{1,9})$/.exec(name)?.[1] ?? 0);
}
