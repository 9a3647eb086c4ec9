// Makes what a fresh cluster holds, through the same pipeline as any other write.
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Client } from "../../registry/client.ts";
import { coreDns } from "./core-dns.ts";
import { nodeSeeds } from "./nodes.ts";
import { tellOfNode } from "./system/node-events.ts";
import { systemPods } from "./system/system-pods.ts";
import { type FreshCluster, freshCluster } from "./objects.ts";
import type { Seed } from "./seed.ts";

export type BootstrapOptions = FreshCluster;

export function bootstrap(client: Client, options: BootstrapOptions): void {
  createAll(client, freshCluster(options, client));
  if (options.systemPods) tellOfNodes(client, { from: 1, to: options.nodes, nowMs: options.nowMs });
}

export function addCoreDns(client: Client): void {
  createAll(client, coreDns(client));
}

/** Adds the system pods to a cluster that has CoreDNS alone. */
export function addSystemPods(client: Client, options: BootstrapOptions): void {
  createAll(client, systemPods(options, client));
  tellOfNodes(client, { from: 1, to: options.nodes, nowMs: options.nowMs });
}

interface Nodes {
  readonly from: number;
  readonly to: number;
  readonly nowMs: number;
}

/** The nodes that a cluster has beside those of its base. */
export function addNodes(client: Client, options: Nodes & Pick<FreshCluster, "systemPods">): void {
  createAll(client, nodeSeeds(client, options));
  if (options.systemPods) tellOfNodes(client, options);
}

function createAll(client: Client, seeds: Iterable<Seed>): void {
  let last: KubeObject | undefined;
  for (const { kind, draft, isOwnedByLast } of seeds) {
    const owner = isOwnedByLast ? last : undefined;
    const ownerReferences = owner && [ownerReference(owner)];
    last = client.create(
      kind,
      ownerReferences ? { ...draft, metadata: { ...draft.metadata, ownerReferences } } : draft,
    );
  }
}

function ownerReference({ apiVersion, kind, metadata: { name = "", uid = "" } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid };
}

function tellOfNodes(client: Client, { from, to, nowMs }: Nodes): void {
  for (let index = from; index <= to; index++) tellOfNode(client, `node-${index}`, nowMs);
}
