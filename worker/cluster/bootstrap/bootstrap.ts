// Makes what a fresh cluster holds, through the same pipeline as any other write.
import type { Client } from "../../registry/client.ts";
import { nodeSeeds } from "./nodes.ts";
import { tellOfNode } from "./system/node-events.ts";
import { systemPods } from "./system/system-pods.ts";
import { type FreshCluster, freshCluster } from "./objects.ts";

export type BootstrapOptions = FreshCluster;

export function bootstrap(client: Client, options: BootstrapOptions): void {
  for (const { kind, draft } of freshCluster(options, client.network)) client.create(kind, draft);
  if (options.systemPods) tellOfNodes(client, { from: 1, to: options.nodes, nowMs: options.nowMs });
}

/** What a bare cluster is without. */
export function addSystemPods(client: Client, options: BootstrapOptions): void {
  for (const { kind, draft } of systemPods(options, client.network)) client.create(kind, draft);
  tellOfNodes(client, { from: 1, to: options.nodes, nowMs: options.nowMs });
}

interface Nodes {
  readonly from: number;
  readonly to: number;
  readonly nowMs: number;
}

/** The nodes that a cluster has beside those of its base. */
export function addNodes(client: Client, options: Nodes & Pick<FreshCluster, "systemPods">): void {
  for (const { kind, draft } of nodeSeeds(client.network, options)) client.create(kind, draft);
  if (options.systemPods) tellOfNodes(client, options);
}

function tellOfNodes(client: Client, { from, to, nowMs }: Nodes): void {
  for (let index = from; index <= to; index++) tellOfNode(client, `node-${index}`, nowMs);
}
