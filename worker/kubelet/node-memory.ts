// What is remembered of a node between reconciles: addresses in use and images present. All of it is derived from the node and
// its pods; losing it costs one look at them.
import { formatIpv4, parseIpv4Range, parseIpv4 } from "../../shared/k8s/ip.ts";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { ResourceClaim } from "../../shared/k8s/api/resource-v1.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import { secrets } from "../kinds/core/secret.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { attachableOf } from "../kinds/storage/attachable.ts";
import type { ReconcileContext } from "../runtime/controller.ts";
import type { DataKind } from "./config/references.ts";
import { type ImageReference, parseImage } from "../containers/images/reference.ts";
import { trustOf } from "../containers/images/trust.ts";
import { isTerminalPhase, type NodeView, timeMs } from "./life.ts";
import type { KubeletOptions } from "./options.ts";
import { systemImages } from "../machine/machine.ts";
import { secondAddress } from "../containers/network/second-address.ts";
import { clusterView } from "../containers/network/cluster-view.ts";

type Client = ReconcileContext["client"];

/** The memories of one cluster's nodes, by name. */
export type NodeMemories = Map<string, NodeMemory>;

interface NodeMemory {
  /** A node that was made anew under the same name is another node. */
  readonly uid: string;
  readonly taken: Set<number>;
  /** Addresses are handed out in a ring, as the runtime's address management does. */
  next: number;
  /** Since when, in milliseconds, by full reference. */
  readonly images: Map<string, number>;
}

export function nodeView(
  memories: NodeMemories,
  client: Client,
  node: Node,
  { edits, images, proxyMs }: Pick<KubeletOptions, "edits" | "images" | "proxyMs"> = {},
  report?: (error: unknown) => void,
): NodeView {
  const name = node.metadata.name ?? "";
  const memory = () => {
    const kept = memories.get(name);
    if (kept && kept.uid === node.metadata.uid) return kept;
    const made = remember(client, node);
    memories.set(name, made);
    return made;
  };
  return {
    name,
    ip: node.status.addresses?.find((one) => one.type === "InternalIP")?.address ?? "",
    allocate: () => allocate(memory(), client, node),
    second: (first) => secondAddress(node.spec.podCIDRs ?? [], first),
    imageSince: (reference) => memory().images.get(reference.text),
    lookup: (kind, namespace, wanted) => keysOf(client, node, kind, namespace, wanted),
    keepImage: (reference, sinceMs) => keep(memory().images, reference, sinceMs),
    trusts: trustOf(client, images),
    view: { ...clusterView(client, { edits, proxyMs }), ...(report ? { report } : {}) },
  };
}

function remember(client: Client, node: Node): NodeMemory {
  const images = new Map<string, number>();
  for (const { names = [] } of node.status.images ?? []) for (const one of names) keep(images, one, 0);
  for (const one of systemImages) keep(images, one, 0);
  const range = parseIpv4Range(node.spec.podCIDR ?? "");
  const memory: NodeMemory = { uid: node.metadata.uid ?? "", taken: new Set(), next: (range?.first ?? 0) + 2, images };
  const found = client.byIndexValue(pods, node.metadata.name ?? "");
  for (const pod of found) keepImagesOf(images, pod);
  takeLiving(memory, found);
  const inRange = [...memory.taken].filter((one) => range && one >= range.first && one < range.first + range.size);
  memory.next = Math.max(memory.next, ...inRange.map((one) => one + 1));
  return memory;
}

function keepImagesOf(images: Map<string, number>, pod: Pod): void {
  for (const { image, containerID, state, lastState } of [
    ...(pod.status.containerStatuses ?? []),
    ...(pod.status.initContainerStatuses ?? []),
  ]) {
    const first = lastState.terminated ?? state.running ?? state.terminated;
    if (containerID !== undefined && first) keep(images, image, timeMs(first.startedAt));
  }
}

function keep(images: Map<string, number>, image: string | ImageReference, sinceMs: number): void {
  const reference = typeof image === "string" ? parseImage(image) : image;
  if ("error" in reference) return;
  images.set(reference.text, Math.min(images.get(reference.text) ?? Number.POSITIVE_INFINITY, sinceMs));
}

function takeLiving(memory: NodeMemory, found: readonly Pod[]): void {
  memory.taken.clear();
  for (const { spec, status } of found) {
    if (spec.hostNetwork || isTerminalPhase(status.phase)) continue;
    const value = parseIpv4(status.podIP ?? "");
    if (value !== undefined) memory.taken.add(value);
  }
}

/** The next address of the node's range; the network's, the gateway's and the broadcast address are not handed out. */
function allocate(memory: NodeMemory, client: Client, node: Node): string | undefined {
  const range = parseIpv4Range(node.spec.podCIDR ?? "");
  if (!range) return undefined;
  const [first, end] = [range.first + 2, range.first + range.size - 1];
  let value = free(memory.taken, Math.max(memory.next, first), end);
  if (value === undefined) {
    // Once around: what was taken since may be free again.
    takeLiving(memory, client.byIndexValue(pods, node.metadata.name ?? ""));
    value = free(memory.taken, first, end);
  }
  if (value === undefined) return undefined;
  memory.taken.add(value);
  memory.next = value + 1;
  return formatIpv4(value);
}

function free(taken: ReadonlySet<number>, from: number, end: number): number | undefined {
  for (let value = from; value < end; value++) if (!taken.has(value)) return value;
  return undefined;
}

function keysOf(
  client: Client,
  node: Node,
  kind: DataKind,
  namespace: string,
  name: string,
): readonly string[] | undefined {
  if (kind === "secret") {
    const secret = client.get(secrets, namespace, name);
    return secret && Object.keys(secret.data ?? {});
  }
  if (kind === "claim") {
    const claim = client.get(persistentVolumeClaims, namespace, name);
    return (
      claim && (claim.status.phase === "Bound" ? ["bound", ...attachmentFacts(client, node, namespace, name)] : [])
    );
  }
  if (kind === "resourceclaim") return claimFacts(client.get(resourceClaims, namespace, name));
  const configMap = client.get(configMaps, namespace, name);
  return configMap && [...Object.keys(configMap.data ?? {}), ...Object.keys(configMap.binaryData ?? {})];
}

/** Its uid, who owns and who uses it, and whether it has its devices. */
function claimFacts(claim: ResourceClaim | undefined): readonly string[] | undefined {
  if (!claim) return undefined;
  const { metadata, status } = claim;
  const owners = (metadata.ownerReferences ?? []).map(({ uid }) => `owner/${uid}`);
  const users = (status.reservedFor ?? []).map(({ uid }) => `user/${uid}`);
  return [metadata.uid ?? "", ...owners, ...users, ...(status.allocation ? ["allocated"] : [])];
}

/** Whether a bound claim's volume has to be attached to the node, and whether it is. */
function attachmentFacts(client: Client, { status }: Node, namespace: string, claimName: string): readonly string[] {
  const found = attachableOf(namespace, claimName, client);
  if (!found) return [];
  const isAttached = status.volumesAttached?.some(({ name }) => name === found.name);
  return isAttached ? ["attachable", "attached"] : ["attachable"];
}
