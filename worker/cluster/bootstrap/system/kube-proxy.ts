// kube-proxy as kubeadm installs it: a DaemonSet on every node, its configuration and its account.
import type { ClusterNetwork } from "../../../../shared/k8s/settings/cluster-network.ts";
import { daemonSets } from "../../../kinds/apps/daemon-set.ts";
import { configMaps } from "../../../kinds/core/config-map.ts";
import { serviceAccounts } from "../../../kinds/core/service-account.ts";
import { clusterRoleBindings } from "../../../kinds/rbac/cluster-role-binding.ts";
import { roleBindings } from "../../../kinds/rbac/role-binding.ts";
import { roles } from "../../../kinds/rbac/role.ts";
import type { Release } from "../../../../shared/k8s/settings/release.ts";
import type { Client } from "../../../registry/client.ts";
import { type Seed, seed } from "../seed.ts";

const name = "kube-proxy";
/** The repository of the image. */
export const kubeProxyImage = "registry.k8s.io/kube-proxy";
const namespace = "kube-system";
const apiGroup = "rbac.authorization.k8s.io";
const labels = { "k8s-app": name } as const;

const configuration = ({ podCidr }: ClusterNetwork) => `apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0
clientConnection:
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
clusterCIDR: ${podCidr}
conntrack:
  maxPerCore: 0
  min: 131072
kind: KubeProxyConfiguration
metricsBindAddress: 127.0.0.1:10249
mode: iptables
`;

export function kubeProxy({ network, release }: Pick<Client, "network" | "release">, server: string): Seed[] {
  return [
    seed(serviceAccounts, { metadata: { name, namespace } }),
    ...access(),
    seed(configMaps, {
      metadata: { name, namespace, labels: { app: name } },
      data: { "config.conf": configuration(network), "kubeconfig.conf": kubeconfig(server) },
    }),
    daemonSet(release),
  ];
}

function access(): Seed[] {
  return [
    seed(clusterRoleBindings, {
      metadata: { name: "kubeadm:node-proxier" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "system:node-proxier" },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    }),
    seed(roles, {
      metadata: { name, namespace },
      rules: [{ apiGroups: [""], resourceNames: [name], resources: ["configmaps"], verbs: ["get"] }],
    }),
    seed(roleBindings, {
      metadata: { name, namespace },
      roleRef: { apiGroup, kind: "Role", name },
      subjects: [{ kind: "Group", apiGroup, name: "system:bootstrappers:kubeadm:default-node-token" }],
    }),
  ];
}

function kubeconfig(server: string): string {
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  return `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority: ${folder}/ca.crt
    server: ${server}
  name: default
contexts:
- context:
    cluster: default
    namespace: default
    user: default
  name: default
current-context: default
users:
- name: default
  user:
    tokenFile: ${folder}/token
`;
}

function daemonSet({ tag }: Release): Seed {
  return seed(daemonSets, {
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate" },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: "system-node-critical",
          containers: [{ ...container, image: `${kubeProxyImage}:${tag}` }],
          hostNetwork: true,
          serviceAccountName: name,
          volumes: [
            { name, configMap: { name } },
            { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
            { name: "lib-modules", hostPath: { path: "/lib/modules" } },
          ],
          tolerations: [{ operator: "Exists" }],
          nodeSelector: { "kubernetes.io/os": "linux" },
        },
      },
    },
  });
}

const container = {
  name,
  image: kubeProxyImage,
  imagePullPolicy: "IfNotPresent",
  command: [
    "/usr/local/bin/kube-proxy",
    "--config=/var/lib/kube-proxy/config.conf",
    "--hostname-override=$(NODE_NAME)",
  ],
  env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
  securityContext: { privileged: true },
  volumeMounts: [
    { name, mountPath: "/var/lib/kube-proxy" },
    { name: "xtables-lock", mountPath: "/run/xtables.lock" },
    { name: "lib-modules", mountPath: "/lib/modules", readOnly: true },
  ],
} as const;
