// The pods of kubeadm and kind beside CoreDNS, with a metrics server and an ingress controller. They are created last, so that a base
// without them is the beginning of one with them.
import type { Client } from "../../../registry/client.ts";
import { machineAddress } from "../../../machine/machine.ts";
import { type NodeSpec, nameOfNode } from "../../../../shared/contract/node-spec.ts";
import type { Seed } from "../seed.ts";
import { ingressNginx } from "./ingress-nginx.ts";
import { kindnet } from "./kindnet.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { kubeadmConfig } from "./kubeadm-config.ts";
import { metricsServer } from "./metrics-server.ts";

interface Nodes {
  readonly nodes: number;
  readonly machines?: readonly NodeSpec[] | undefined;
}

/** The pods of the control plane are static ones of the first node: its kubelet makes them (`worker/containers/static-pods`). */
export function* systemPods(
  { nodes, machines = [] }: Nodes,
  client: Pick<Client, "network" | "release">,
): Generator<Seed> {
  yield* kubeadmConfig(client, nodes > 0 ? nameOfNode(machines[0] ?? {}, 0) : undefined);
  yield* kubeProxy(client, `https://${machineAddress(1)}:6443`);
  yield* kindnet(client.network);
  yield* metricsServer();
  yield* ingressNginx();
}
