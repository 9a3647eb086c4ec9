// The network of the pods, as kind installs it: a DaemonSet on every node, and its account.
import type { ClusterNetwork } from "../../../../shared/k8s/settings/cluster-network.ts";
import { daemonSets } from "../../../kinds/apps/daemon-set.ts";
import { serviceAccounts } from "../../../kinds/core/service-account.ts";
import { clusterRoleBindings } from "../../../kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../../kinds/rbac/cluster-role.ts";
import { type Seed, seed } from "../seed.ts";

const name = "kindnet";
const namespace = "kube-system";
const apiGroup = "rbac.authorization.k8s.io";
const labels = { app: name, "k8s-app": name, tier: "node" } as const;
const watched = ["list", "watch"];

export function kindnet(network: ClusterNetwork): Seed[] {
  return [
    seed(clusterRoles, {
      metadata: { name },
      rules: [
        { apiGroups: [""], resources: ["nodes", "pods", "namespaces"], verbs: watched },
        { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: watched },
      ],
    }),
    seed(clusterRoleBindings, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    }),
    seed(serviceAccounts, { metadata: { name, namespace } }),
    daemonSet(network),
  ];
}

function daemonSet(network: ClusterNetwork): Seed {
  return seed(daemonSets, {
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels },
        spec: {
          hostNetwork: true,
          nodeSelector: { "kubernetes.io/os": "linux" },
          tolerations: [{ operator: "Exists" }],
          serviceAccountName: name,
          containers: [container(network)],
          volumes: [
            { name: "cni-cfg", hostPath: { path: "/etc/cni/net.d" } },
            { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
            { name: "lib-modules", hostPath: { path: "/lib/modules" } },
          ],
        },
      },
    },
  });
}

const container = ({ podCidr }: ClusterNetwork) => ({
  name: "kindnet-cni",
  image: "docker.io/kindest/kindnetd:v20250512-df8de77b",
  env: [
    { name: "HOST_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
    { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "POD_SUBNET", value: podCidr },
  ],
  resources: { requests: { cpu: "100m", memory: "50Mi" }, limits: { cpu: "100m", memory: "50Mi" } },
  securityContext: { privileged: false, capabilities: { add: ["NET_RAW", "NET_ADMIN"] } },
  volumeMounts: [
    { name: "cni-cfg", mountPath: "/etc/cni/net.d" },
    { name: "xtables-lock", mountPath: "/run/xtables.lock" },
    { name: "lib-modules", mountPath: "/lib/modules", readOnly: true },
  ],
});
