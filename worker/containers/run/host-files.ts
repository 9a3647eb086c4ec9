// The files of a node that containers can mount with hostPath volumes.
import type { Release } from "../../../shared/k8s/settings/release.ts";
import { type ClusterNetwork, dnsServiceAddress } from "../../../shared/k8s/settings/cluster-network.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { base64OfText } from "../../../shared/base/base64.ts";
import { stableHex, stableUuid } from "../../../shared/base/stable.ts";
import type { Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { toYaml } from "../../../shared/schema/yaml/write.ts";
import type { Entry } from "../shell/files.ts";
import { staticPods } from "../../machine/manifests.ts";
import { lazyEntry } from "./lazy-entry.ts";
import { containerdConfig, containerdConfigPath, defaultProfile, loadedProfilesPath } from "../node/node-defaults.ts";
import { unitTexts } from "../node/unit-texts.ts";
import { versionFiles } from "../node/packages.ts";
import { apiServerPort } from "../../machine/control-plane.ts";
import type { VolumeFiles } from "./volume-files.ts";
import type { ControlPlaneNode, NodePki } from "../node/node-pki.ts";
import type { ClusterView } from "./world.ts";

/** The `/etc/os-release` of Debian. */
const osRelease = `PRETTY_NAME="Debian GNU/Linux 13 (trixie)"
NAME="Debian GNU/Linux"
VERSION_ID="13"
VERSION="13 (trixie)"
VERSION_CODENAME=trixie
ID=debian
HOME_URL="https://www.debian.org/"
`;

const folders =
  "/boot /dev /etc/apparmor.d /etc/cni/net.d /etc/containerd /etc/kubernetes/manifests /etc/kubernetes/pki/etcd /etc/ssl/certs /etc/systemd/system/kubelet.service.d /home /media /mnt /opt/cni/bin /opt/local-path-provisioner /proc /proc/sys/fs /proc/sys/kernel /proc/sys/net /proc/sys/vm /root /run/containerd /srv /sys/fs/cgroup /tmp /usr/bin /usr/lib/modules /usr/local/bin /usr/local/share/ca-certificates /usr/sbin /usr/share/ca-certificates /var/lib/containerd /var/lib/etcd /var/lib/kubelet/pki /var/lib/kubelet/plugins /var/lib/kubelet/plugins_registry /var/lib/kubelet/seccomp /var/log/containers /var/log/pods /var/tmp".split(
    " ",
  );
const links: Readonly<Record<string, string>> = {
  "/bin": "usr/bin",
  "/sbin": "usr/sbin",
  "/lib": "usr/lib",
  "/var/run": "/run",
};
/** The folders with the sticky bit: everybody may write to them, and only owners may remove files. */
const open = new Set(["/tmp", "/var/tmp"]);
const sockets = ["/run/containerd/containerd.sock", "/var/lib/kubelet/device-plugins/kubelet.sock"];

/** Returns the kubelet's configuration file. */
export function kubeletConfiguration(ranges: ClusterNetwork) {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { cacheTTL: "0s", enabled: true },
      x509: { clientCAFile: "/etc/kubernetes/pki/ca.crt" },
    },
    authorization: { mode: "Webhook" },
    cgroupDriver: "systemd",
    clusterDNS: [dnsServiceAddress(ranges)],
    clusterDomain: "cluster.local",
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    healthzBindAddress: "127.0.0.1",
    healthzPort: 10248,
    rotateCertificates: true,
    staticPodPath: "/etc/kubernetes/manifests",
  };
}

/** The contents of each private key: containers can see that the file exists, but not a usable key. */
const hidden = "-----BEGIN PRIVATE KEY-----\nc2FuZGJhcg==\n-----END PRIVATE KEY-----\n";

/** Returns a reader of a certificate of the node; a placeholder if the cluster has no authority. */
function certificateIn(pki: NodePki | undefined, name: string, node = ""): () => string {
  return () => pki?.certificate(name, node) ?? placeholder;
}

const placeholder = "-----BEGIN CERTIFICATE-----\nc2FuZGJhcg==\n-----END CERTIFICATE-----\n";

function kubeletConfig(address: string, authority: string): string {
  const pem = "/var/lib/kubelet/pki/kubelet-client-current.pem";
  const cluster = {
    "certificate-authority-data": base64OfText(authority),
    server: `https://${address}:${apiServerPort}`,
  };
  return toYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ cluster, name: "default-cluster" }],
    contexts: [
      { context: { cluster: "default-cluster", namespace: "default", user: "default-auth" }, name: "default-context" },
    ],
    "current-context": "default-context",
    users: [{ name: "default-auth", user: { "client-certificate": pem, "client-key": pem } }],
  });
}

function kubeconfig(user: string, address: string, authority: string, certificate: string): string {
  const cluster = {
    "certificate-authority-data": base64OfText(authority),
    server: `https://${address}:${apiServerPort}`,
  };
  return toYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ cluster, name: "kubernetes" }],
    contexts: [{ context: { cluster: "kubernetes", user }, name: `${user}@kubernetes` }],
    "current-context": `${user}@kubernetes`,
    users: [
      { name: user, user: { "client-certificate-data": base64OfText(certificate), "client-key-data": "REDACTED" } },
    ],
  });
}

export interface Host {
  readonly ranges: ClusterNetwork;
  readonly release: Release;
  readonly node: string;
  readonly address: string;
  readonly pods: readonly Pod[];
  /** The node with the control plane. */
  readonly controlPlane: ControlPlaneNode | undefined;
  readonly pki: NodePki | undefined;
}

/** The text of a file, or a function that computes it when it is read. */
type Content = string | (() => string);

function systemFiles({ node, address, ranges, release, controlPlane, pki }: Host): Readonly<Record<string, Content>> {
  const server = controlPlane?.address ?? address;
  const authority = certificateIn(pki, "ca");
  return {
    "/etc/hostname": `${node}\n`,
    "/etc/hosts": `127.0.0.1\tlocalhost\n${address}\t${node}\n`,
    "/etc/machine-id": `${stableHex(`machine/${node}`, 32)}\n`,
    "/etc/os-release": osRelease,
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
    "/etc/resolv.conf": "nameserver 172.18.0.1\noptions ndots:0\n",
    "/etc/cni/net.d/10-kindnet.conflist":
      '{"cniVersion":"0.3.1","name":"kindnet","plugins":[{"type":"ptp"},{"type":"portmap"}]}\n',
    [containerdConfigPath]: containerdConfig,
    [loadedProfilesPath]: `${defaultProfile} (enforce)\n`,
    ...unitTexts,
    ...versionFiles(release.tag),
    "/etc/kubernetes/kubelet.conf": () => kubeletConfig(server, authority()),
    "/etc/kubernetes/pki/ca.crt": authority,
    "/etc/ssl/certs/ca-certificates.crt": authority,
    "/proc/sys/kernel/random/boot_id": `${stableUuid(`boot/${node}`)}\n`,
    "/run/xtables.lock": "",
    "/var/lib/kubelet/config.yaml": toYaml(kubeletConfiguration(ranges)),
    "/var/lib/kubelet/kubeadm-flags.env": `KUBELET_KUBEADM_ARGS="--node-ip=${address} --pod-infra-container-image=registry.k8s.io/pause:${release.pause}"\n`,
    "/var/lib/kubelet/pki/kubelet-client-current.pem": () => certificateIn(pki, "kubelet-client", node)() + hidden,
    "/var/lib/kubelet/pki/kubelet.crt": certificateIn(pki, "kubelet", node),
    "/var/lib/kubelet/pki/kubelet.key": hidden,
  };
}

/** Returns the files that only a node with the control plane has. */
function controlPlaneFiles({ node, address, ranges, release, pki }: Host): Readonly<Record<string, Content>> {
  const folder = "/etc/kubernetes/pki";
  const keys = [
    "apiserver",
    "apiserver-etcd-client",
    "apiserver-kubelet-client",
    "ca",
    "front-proxy-ca",
    "front-proxy-client",
  ];
  const etcd = ["ca", "healthcheck-client", "peer", "server"].map((name) => `etcd/${name}`);
  const pairs = [...keys, ...etcd].flatMap((name): [string, Content][] => [
    [`${folder}/${name}.crt`, certificateIn(pki, name, node)],
    [`${folder}/${name}.key`, hidden],
  ]);
  const manifests = staticPods(node, address, { network: ranges, release }).map(
    ({ name, annotations, spec }): [string, string] => {
      const labels = { component: name, tier: "control-plane" };
      const metadata = { annotations, labels, name, namespace: "kube-system" };
      return [`/etc/kubernetes/manifests/${name}.yaml`, toYaml({ apiVersion: "v1", kind: "Pod", metadata, spec })];
    },
  );
  const users: Readonly<Record<string, string>> = {
    admin: "kubernetes-admin",
    "controller-manager": "system:kube-controller-manager",
    scheduler: "system:kube-scheduler",
    "super-admin": "kubernetes-super-admin",
  };
  const configs = Object.entries(users).map(([name, user]): [string, Content] => [
    `/etc/kubernetes/${name}.conf`,
    () => kubeconfig(user, address, certificateIn(pki, "ca")(), certificateIn(pki, `${name}.conf`, node)()),
  ]);
  return Object.fromEntries([
    ...pairs,
    ...manifests,
    ...configs,
    [`${folder}/sa.key`, hidden],
    [`${folder}/sa.pub`, hidden.replaceAll("PRIVATE", "PUBLIC")],
    ["/var/lib/etcd/member/snap/db", ""],
  ]);
}

/** Returns the folders, without their contents, that the kubelet creates for each of its pods. */
function podFolders({ pods }: Host): string[] {
  return pods.flatMap(({ metadata: { name = "", namespace = "", uid = "" }, spec }) => [
    ...spec.containers.map((container) => `/var/log/pods/${namespace}_${name}_${uid}/${container.name}`),
    `/var/lib/kubelet/pods/${uid}/volumes`,
  ]);
}

export function hostFolderMode(path: string): number {
  return open.has(path) ? 0o1777 : 0o755;
}

/** The files of nodes that were built last, by the source of their certificates. */
const builtFiles = new WeakMap<object, Map<string, VolumeFiles>>();
const withoutPki = {};
const mostBuilt = 8;

/** Returns all files of a node. */
export function nodeFiles(host: Host): VolumeFiles {
  const isControlPlane = host.controlPlane?.name === host.node;
  const podPaths = podFolders(host);
  const key = JSON.stringify([host.ranges, host.release.version, host.node, host.address, host.controlPlane, podPaths]);
  const built = builtFiles.get(host.pki ?? withoutPki) ?? new Map<string, VolumeFiles>();
  builtFiles.set(host.pki ?? withoutPki, built);
  const cachedFiles = built.get(key);
  if (cachedFiles) return cachedFiles;
  const folder: Entry = { text: undefined, mode: 0o755, changedMs: 0 };
  const file = (text: Content, mode = 0o644): Entry =>
    typeof text === "string" ? { text, mode, changedMs: 0 } : lazyEntry(text, 0, mode);
  const texts = { ...systemFiles(host), ...(isControlPlane ? controlPlaneFiles(host) : {}) };
  const files = new Map<string, Entry>([
    ...[...folders, ...podPaths].map((path) => [path, { ...folder, mode: hostFolderMode(path) }] as const),
    ...Object.entries(links).map(([path, link]) => [path, { ...folder, mode: 0o777, link }] as const),
    ...Object.entries(texts).map(
      ([path, text]) => [path, file(text, /\.(key|conf|pem)$/.test(path) ? 0o600 : 0o644)] as const,
    ),
    ...sockets.map((path) => [path, file("", 0o660)] as const),
  ]);
  if (built.size >= mostBuilt) built.clear();
  built.set(key, files);
  return files;
}

export function isSocket(path: string): boolean {
  return sockets.includes(path.replace(/^\/var\/run\//, "/run/"));
}

/** Returns the facts from which a node's files are computed. */
export function hostOf(view: ClusterView, node: string, address: string, pods: readonly Pod[]): Host {
  const { ranges, release, pki } = view;
  return { ranges, release, node, address, pods, controlPlane: view.controlPlane?.(), pki };
}

/** Returns the files of a hostPath volume by their paths in the volume. A mounted single file has the path "". */
export function hostFiles({ spec, status }: Pod, { hostPath }: Volume, view: ClusterView): VolumeFiles | undefined {
  if (!hostPath) return undefined;
  const node = spec.nodeName ?? "";
  const root = trimmedEnd(hostPath.path, "/");
  // A mount that does not include the folders of pods does not depend on them.
  const showsPods = root === "" || /^\/(etc(\/kubernetes.*)?|var(\/(lib|log).*)?)$/.test(root);
  const pods = showsPods ? (view.podsOn?.(node) ?? []) : [];
  const files = nodeFiles(hostOf(view, node, status.hostIP ?? "", pods));
  const single = files.get(root);
  if (single?.text !== undefined) return new Map([["", single]]);
  const within = [...files].filter(([path]) => path.startsWith(`${root}/`));
  return new Map(within.map(([path, entry]) => [path.slice(root.length + 1), entry]));
}
