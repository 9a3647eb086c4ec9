// Makes what a fresh cluster holds, through the same pipeline as any other write.
import type { Client } from "../../registry/client.ts";
import { nodeSeeds } from "./nodes.ts";
import { type FreshCluster, freshCluster } from "./objects.ts";

export type BootstrapOptions = FreshCluster;

export function bootstrap(client: Client, options: BootstrapOptions): void {
  for (const { kind, draft } of freshCluster(options)) client.create(kind, draft);
}

/** The nodes that a cluster has beside those of its base. */
export function addNodes(client: Client, { from, to, nowMs }: { from: number; to: number; nowMs: number }): void {
  for (const { kind, draft } of nodeSeeds(to, nowMs, from)) client.create(kind, draft);
}
