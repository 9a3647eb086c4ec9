// The machine that a simulated node stands for: size, software and addresses.
import { type Release, releaseOf, supportedVersions } from "../../shared/k8s/settings/release.ts";
import { formatIpv4, parseIpv4 } from "../../shared/k8s/ip.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { ContainerImage, NodeCondition, NodeStatus } from "../../shared/k8s/api/core-v1.ts";
import { must } from "../../shared/base/assert.ts";
import { stableHex, stableUuid } from "../../shared/base/stable.ts";

/** 4 CPUs, 8 GiB of memory, 100 GiB of disk. A tenth of the disk and 100 MiB of memory are reserved for the node itself. */
export const machineCapacity = {
  cpu: "4",
  "ephemeral-storage": "104857600Ki",
  "hugepages-1Gi": "0",
  "hugepages-2Mi": "0",
  memory: "8388608Ki",
  pods: "110",
} as const;

const machineAllocatable = { ...machineCapacity, "ephemeral-storage": "96636764160", memory: "8286208Ki" } as const;

const allSystemImages = new Set(supportedVersions.flatMap((version) => systemImagesOf(releaseOf(version))));

/** Reports whether an image is one of the cluster's own, in any release. */
export function isSystemImage(image: string): boolean {
  return allSystemImages.has(image);
}

/** Returns more images that are on every node's disk from the start, so they need no pull. `crictl images` lists them, `status.images` does not. */
export function systemImagesOf({ tag, etcd }: Release): readonly string[] {
  return [
    ...["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"].map(
      (name) => `registry.k8s.io/${name}:${tag}`,
    ),
    `registry.k8s.io/etcd:${etcd}`,
    "docker.io/kindest/kindnetd:v20250512-df8de77b",
    "registry.k8s.io/metrics-server/metrics-server:v0.8.0",
    "registry.k8s.io/ingress-nginx/controller:v1.13.0",
  ];
}

/** Returns the images that a new node lists in its status. */
function baseImages({ coreDns, pause }: Release): ContainerImage[] {
  return [
    { names: [`registry.k8s.io/coredns/coredns:${coreDns}`], sizeBytes: 23_553_139 },
    { names: [`registry.k8s.io/pause:${pause}`], sizeBytes: 320_448 },
  ];
}

export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly nowMs: number;
  /** The release of its kubelet. */
  readonly release: Release;
}

export function machineStatus({ name, address, nowMs, release }: Machine): NodeStatus {
  return {
    capacity: { ...machineCapacity },
    allocatable: { ...machineAllocatable },
    conditions: machineConditions(nowMs),
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: stableHex(`machine/${name}`, 32),
      systemUUID: stableUuid(`system/${name}`),
      bootID: stableUuid(`boot/${name}`),
      kernelVersion: "6.12.48+deb13-amd64",
      osImage: "Debian GNU/Linux 13 (trixie)",
      containerRuntimeVersion: "containerd://2.2.1",
      kubeletVersion: release.tag,
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
    images: baseImages(release),
    runtimeHandlers: [
      { name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
      { name: "runc", features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
    ],
    features: { supplementalGroupsPolicy: true },
    declaredFeatures: [
      "ExtendWebSocketsToKubelet",
      "InPlacePodLevelResourcesVerticalScaling",
      "InPlacePodVerticalScalingInitContainers",
    ],
  };
}

/** Returns the conditions in the order in which a kubelet sets them: Ready is the last. */
function machineConditions(nowMs: number): NodeCondition[] {
  const time = rfc3339(nowMs);
  return [
    ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
  ].map(([type = "", status = "", reason = "", message = ""]) => ({
    type,
    status,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason,
    message,
  }));
}

/** The annotations that the kubelet and the control plane set on a node. */
export const machineAnnotations = {
  "node.alpha.kubernetes.io/ttl": "0",
  "volumes.kubernetes.io/controller-managed-attach-detach": "true",
} as const;

export function machineLabels(name: string): Record<string, string> {
  return {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
}

/** The control plane's address, after that of the gateway. */
const controlPlaneAddress = must(parseIpv4("172.18.0.2"), "an IPv4 address");

/** Returns the address of a machine in the machines' network, 172.18.0.0/16. `index` counts from 1, whose address is 172.18.0.3. */
export function machineAddress(index: number): string {
  return formatIpv4(controlPlaneAddress + index);
}
