// What a cluster of kubeadm and kind has beside CoreDNS, with a metrics server and an ingress controller: made after all else, so that a base without
// them is the beginning of one with them.
import { machineAddress } from "../../../node/parts/machine.ts";
import type { Seed } from "../seed.ts";
import { ingressNginx } from "./ingress-nginx.ts";
import { kindnet } from "./kindnet.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { kubeadmConfig } from "./kubeadm-config.ts";
import { metricsServer } from "./metrics-server.ts";

/** The pods of the control plane are static ones of `node-1`: its kubelet makes them (`worker/node/static-pods`). */
export function* systemPods({ nodes }: { readonly nodes: number }): Generator<Seed> {
  yield* kubeadmConfig(nodes > 0 ? "node-1" : undefined);
  yield* kubeProxy(`https://${machineAddress(1)}:6443`);
  yield* kindnet();
  yield* metricsServer();
  yield* ingressNginx();
}
