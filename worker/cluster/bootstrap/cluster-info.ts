// `kube-public/cluster-info`: how to reach the cluster and which authority to trust, for who has no kubeconfig yet.
import { configMaps } from "../../kinds/core/config-map.ts";
import { type Seed, seed } from "./seed.ts";

export function clusterInfo(info: { readonly server: string; readonly certificateAuthority: string }): Seed {
  const lines = [
    "apiVersion: v1",
    "clusters:",
    "- cluster:",
    `    certificate-authority-data: ${info.certificateAuthority}`,
    `    server: ${info.server}`,
    '  name: ""',
    "contexts: null",
    'current-context: ""',
    "kind: Config",
    "preferences: {}",
    "users: null",
    "",
  ];
  return seed(configMaps, {
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig: lines.join("\n") },
  });
}
