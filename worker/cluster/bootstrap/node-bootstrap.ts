// What kubeadm adds so that a new node joins by itself: who may ask for its certificate, and whose requests are approved.
import { clusterRoleBindings } from "../../kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../kinds/rbac/cluster-role.ts";
import { type Seed, seed } from "./seed.ts";

const bootstrappers = "system:bootstrappers:kubeadm:default-node-token";
const requests = "system:certificates.k8s.io:certificatesigningrequests";
const apiGroup = "rbac.authorization.k8s.io";

export function nodeBootstrap(): Seed[] {
  const metadata = { name: "kubeadm:get-nodes" };
  return [
    binding("kubeadm:cluster-admins", "cluster-admin", "kubeadm:cluster-admins"),
    binding("kubeadm:kubelet-bootstrap", "system:node-bootstrapper", bootstrappers),
    seed(clusterRoles, { metadata, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }] }),
    binding(metadata.name, metadata.name, bootstrappers),
    binding("kubeadm:node-autoapprove-bootstrap", `${requests}:nodeclient`, bootstrappers),
    binding("kubeadm:node-autoapprove-certificate-rotation", `${requests}:selfnodeclient`, "system:nodes"),
  ];
}

function binding(name: string, role: string, group: string): Seed {
  return seed(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name: role },
    subjects: [{ kind: "Group", apiGroup, name: group }],
  });
}
