// What kubeadm notes of the cluster that it made, with the nodes' right to read it.
import { type ClusterNetwork, dnsServiceAddress } from "../../../../shared/k8s/settings/cluster-network.ts";
import { configMaps } from "../../../kinds/core/config-map.ts";
import { roleBindings } from "../../../kinds/rbac/role-binding.ts";
import { roles } from "../../../kinds/rbac/role.ts";
import { clusterConfiguration, controlPlaneAnnotation } from "../../../machine/control-plane.ts";
import type { Client } from "../../../registry/client.ts";
import { type Seed, seed } from "../seed.ts";

type ClusterOf = Pick<Client, "network" | "release">;

const namespace = "kube-system";
const apiGroup = "rbac.authorization.k8s.io";
const bootstrappers = "system:bootstrappers:kubeadm:default-node-token";

/** Returns what kubeadm stores about the cluster. */
export const clusterConfigurationText = ({ network: { podCidr, serviceCidr }, release }: ClusterOf) => `apiServer: {}
apiVersion: kubeadm.k8s.io/v1beta4
caCertificateValidityPeriod: 87600h0m0s
certificateValidityPeriod: 8760h0m0s
certificatesDir: /etc/kubernetes/pki
clusterName: kubernetes
controllerManager: {}
dns: {}
encryptionAlgorithm: RSA-2048
etcd:
  local:
    dataDir: /var/lib/etcd
imageRepository: registry.k8s.io
kind: ClusterConfiguration
kubernetesVersion: ${release.tag}
networking:
  dnsDomain: cluster.local
  podSubnet: ${podCidr}
  serviceSubnet: ${serviceCidr}
proxy: {}
scheduler: {}
`;

const kubelet = (network: ClusterNetwork) => `apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
cgroupDriver: systemd
clusterDNS:
- ${dnsServiceAddress(network)}
clusterDomain: cluster.local
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
healthzBindAddress: 127.0.0.1
healthzPort: 10248
kind: KubeletConfiguration
rotateCertificates: true
staticPodPath: /etc/kubernetes/manifests
`;

/** `node`: the one that has the control plane; absent where there is none to have it. */
export function kubeadmConfig(client: ClusterOf, node: string | undefined): Seed[] {
  const annotations = node === undefined ? {} : { annotations: { [controlPlaneAnnotation]: node } };
  return [
    seed(configMaps, {
      metadata: { name: clusterConfiguration, namespace, ...annotations },
      data: { ClusterConfiguration: clusterConfigurationText(client) },
    }),
    ...readers("kubeadm:nodes-kubeadm-config", clusterConfiguration),
    seed(configMaps, { metadata: { name: "kubelet-config", namespace }, data: { kubelet: kubelet(client.network) } }),
    ...readers("kubeadm:kubelet-config", "kubelet-config"),
  ];
}

function readers(name: string, configMap: string): Seed[] {
  const group = (subject: string) => ({ kind: "Group", apiGroup, name: subject });
  return [
    seed(roles, {
      metadata: { name, namespace },
      rules: [{ apiGroups: [""], resourceNames: [configMap], resources: ["configmaps"], verbs: ["get"] }],
    }),
    seed(roleBindings, {
      metadata: { name, namespace },
      roleRef: { apiGroup, kind: "Role", name },
      subjects: [group(bootstrappers), group("system:nodes")],
    }),
  ];
}
