// The pods of the control plane, as kubeadm writes them into the first node's /etc/kubernetes/manifests.
import type { Release } from "../../shared/k8s/settings/release.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { Container, PodSpec, Volume } from "../../shared/k8s/api/core-v1.ts";
import { apiServerPort } from "./control-plane.ts";

export interface StaticPod {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Omit<PodSpec, "nodeName" | "tolerations">;
}

const pki = "/etc/kubernetes/pki";

/** The facts from which the pod of a component is built. Each flag is an argument of its command, in alphabetical order. */
interface Component {
  readonly name: string;
  readonly image: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
  readonly port: number;
  readonly probes: Probes;
  /** Folders and files of the node that the component mounts. */
  readonly mounts: readonly Mount[];
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Probes {
  readonly host: string;
  readonly scheme: "HTTP" | "HTTPS";
  readonly startup: string;
  readonly liveness: string;
  readonly readiness?: string;
}

interface Mount {
  readonly name: string;
  readonly path: string;
  readonly isFile?: true;
  readonly isWritten?: true;
}

const certificates: Mount = { name: "k8s-certs", path: pki };
const authorities: Mount = { name: "ca-certs", path: "/etc/ssl/certs" };

/** The cluster of the static pods. */
interface Cluster {
  readonly network: ClusterNetwork;
  readonly release: Release;
}

/** Returns the static pods for a control-plane node with this name and address. */
export function staticPods(node: string, address: string, { network, release }: Cluster): readonly StaticPod[] {
  return [
    etcd(node, address, release),
    apiServer(address, network, release),
    controllerManager(network, release),
    scheduler(release),
  ].map(podOf);
}

function etcd(node: string, address: string, { etcd: tag }: Release): Component {
  const [client, peer] = [`https://${address}:2379`, `https://${address}:2380`];
  return {
    name: "etcd",
    image: `registry.k8s.io/etcd:${tag}`,
    flags: {
      "advertise-client-urls": client,
      "cert-file": `${pki}/etcd/server.crt`,
      "client-cert-auth": "true",
      "data-dir": "/var/lib/etcd",
      "feature-gates": "InitialCorruptCheck=true",
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `${node}=${peer}`,
      "key-file": `${pki}/etcd/server.key`,
      "listen-client-urls": `https://127.0.0.1:2379,${client}`,
      "listen-metrics-urls": "http://127.0.0.1:2381",
      "listen-peer-urls": peer,
      name: node,
      "peer-cert-file": `${pki}/etcd/peer.crt`,
      "peer-client-cert-auth": "true",
      "peer-key-file": `${pki}/etcd/peer.key`,
      "peer-trusted-ca-file": `${pki}/etcd/ca.crt`,
      "snapshot-count": "10000",
      "trusted-ca-file": `${pki}/etcd/ca.crt`,
      "watch-progress-notify-interval": "5s",
    },
    requests: { cpu: "100m", memory: "100Mi" },
    port: 2381,
    probes: { host: "127.0.0.1", scheme: "HTTP", startup: "/readyz", liveness: "/livez", readiness: "/readyz" },
    mounts: [
      { name: "etcd-data", path: "/var/lib/etcd", isWritten: true },
      { name: "etcd-certs", path: `${pki}/etcd`, isWritten: true },
    ],
    annotations: { "kubeadm.kubernetes.io/etcd.advertise-client-urls": client },
  };
}

function apiServer(address: string, { serviceCidr }: ClusterNetwork, { tag }: Release): Component {
  return {
    name: "kube-apiserver",
    image: `registry.k8s.io/kube-apiserver:${tag}`,
    flags: {
      "advertise-address": address,
      "allow-privileged": "true",
      "authorization-mode": "Node,RBAC",
      "client-ca-file": `${pki}/ca.crt`,
      "enable-admission-plugins": "NodeRestriction",
      "enable-bootstrap-token-auth": "true",
      "etcd-cafile": `${pki}/etcd/ca.crt`,
      "etcd-certfile": `${pki}/apiserver-etcd-client.crt`,
      "etcd-keyfile": `${pki}/apiserver-etcd-client.key`,
      "etcd-servers": "https://127.0.0.1:2379",
      "kubelet-client-certificate": `${pki}/apiserver-kubelet-client.crt`,
      "kubelet-client-key": `${pki}/apiserver-kubelet-client.key`,
      "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
      "proxy-client-cert-file": `${pki}/front-proxy-client.crt`,
      "proxy-client-key-file": `${pki}/front-proxy-client.key`,
      "requestheader-allowed-names": "front-proxy-client",
      "requestheader-client-ca-file": `${pki}/front-proxy-ca.crt`,
      "requestheader-extra-headers-prefix": "X-Remote-Extra-",
      "requestheader-group-headers": "X-Remote-Group",
      "requestheader-username-headers": "X-Remote-User",
      "secure-port": String(apiServerPort),
      "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
      "service-account-key-file": `${pki}/sa.pub`,
      "service-account-signing-key-file": `${pki}/sa.key`,
      "service-cluster-ip-range": serviceCidr,
      "tls-cert-file": `${pki}/apiserver.crt`,
      "tls-private-key-file": `${pki}/apiserver.key`,
    },
    requests: { cpu: "250m" },
    port: apiServerPort,
    probes: { host: address, scheme: "HTTPS", startup: "/livez", liveness: "/livez", readiness: "/readyz" },
    mounts: [authorities, certificates],
    annotations: { "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint": `${address}:${apiServerPort}` },
  };
}

function controllerManager({ serviceCidr, podCidr }: ClusterNetwork, { tag }: Release): Component {
  const kubeconfig = "/etc/kubernetes/controller-manager.conf";
  return {
    name: "kube-controller-manager",
    image: `registry.k8s.io/kube-controller-manager:${tag}`,
    flags: {
      "allocate-node-cidrs": "true",
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      "client-ca-file": `${pki}/ca.crt`,
      "cluster-cidr": podCidr,
      "cluster-name": "kubernetes",
      "cluster-signing-cert-file": `${pki}/ca.crt`,
      "cluster-signing-key-file": `${pki}/ca.key`,
      controllers: "*,bootstrapsigner,tokencleaner",
      kubeconfig,
      "leader-elect": "true",
      "requestheader-client-ca-file": `${pki}/front-proxy-ca.crt`,
      "root-ca-file": `${pki}/ca.crt`,
      "service-account-private-key-file": `${pki}/sa.key`,
      "service-cluster-ip-range": serviceCidr,
      "use-service-account-credentials": "true",
    },
    requests: { cpu: "200m" },
    port: 10257,
    probes: { host: "127.0.0.1", scheme: "HTTPS", startup: "/healthz", liveness: "/healthz" },
    mounts: [authorities, certificates, { name: "kubeconfig", path: kubeconfig, isFile: true }],
  };
}

function scheduler({ tag }: Release): Component {
  const kubeconfig = "/etc/kubernetes/scheduler.conf";
  return {
    name: "kube-scheduler",
    image: `registry.k8s.io/kube-scheduler:${tag}`,
    flags: {
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      kubeconfig,
      "leader-elect": "true",
    },
    requests: { cpu: "100m" },
    port: 10259,
    probes: { host: "127.0.0.1", scheme: "HTTPS", startup: "/livez", liveness: "/livez", readiness: "/readyz" },
    mounts: [{ name: "kubeconfig", path: kubeconfig, isFile: true }],
  };
}

/** The value of the class system-node-critical, which upstream's admission plugin would set. */
const priority = 2_000_001_000;

function podOf(component: Component): StaticPod {
  const { name, mounts, annotations = {} } = component;
  return {
    name,
    annotations,
    spec: {
      containers: [containerOf(component)],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      hostNetwork: true,
      preemptionPolicy: "PreemptLowerPriority",
      priority,
      priorityClassName: "system-node-critical",
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      terminationGracePeriodSeconds: 30,
      volumes: mounts.map(volumeOf),
    },
  };
}

function volumeOf({ name, path, isFile }: Mount): Volume {
  return { name, hostPath: { path, type: isFile ? "FileOrCreate" : "DirectoryOrCreate" } };
}

function containerOf({ name, image, flags, requests, port, probes, mounts }: Component): Container {
  const { host, scheme, startup, liveness, readiness } = probes;
  const httpGet = (path: string) => ({ host, path, port: "probe-port", scheme });
  const usual = { successThreshold: 1, timeoutSeconds: 15 };
  return {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    command: [name, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
    ports: [{ containerPort: port, hostPort: port, name: "probe-port", protocol: "TCP" }],
    resources: { requests: { ...requests } },
    startupProbe: {
      ...usual,
      httpGet: httpGet(startup),
      initialDelaySeconds: 10,
      periodSeconds: 10,
      failureThreshold: 24,
    },
    livenessProbe: {
      ...usual,
      httpGet: httpGet(liveness),
      initialDelaySeconds: 10,
      periodSeconds: 10,
      failureThreshold: 8,
    },
    ...(readiness === undefined
      ? {}
      : { readinessProbe: { ...usual, httpGet: httpGet(readiness), periodSeconds: 1, failureThreshold: 3 } }),
    volumeMounts: mounts.map((mount) => ({
      name: mount.name,
      mountPath: mount.path,
      ...(mount.isWritten ? {} : { readOnly: true }),
    })),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  };
}
