// What is remembered of a node between reconciles: addresses in use and images present. All of it is derived from the node and
// its pods; losing it costs one look at them.
import { formatIpv4, parseIpv4Range, parseIpv4 } from "../../../shared/k8s/ip.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { systemImages } from "../../machine/machine.ts";
import type { Client } from "../../registry/client.ts";
import { type ImageReference, parseImage } from "../images/reference.ts";

/** The memories of one cluster's nodes, by name. */
export type NodeMemories = Map<string, NodeMemory>;

export interface NodeMemory {
  /** A node that was made anew under the same name is another node. */
  readonly uid: string;
  readonly taken: Set<number>;
  /** Addresses are handed out in a ring, as the runtime's address management does. */
  next: number;
  /** Since when, in milliseconds, by full reference. */
  readonly images: Map<string, number>;
}

export function rememberedNode(memories: NodeMemories, client: Client, node: Node): NodeMemory {
  const name = node.metadata.name ?? "";
  const kept = memories.get(name);
  if (kept && kept.uid === node.metadata.uid) return kept;
  const made = remember(client, node);
  memories.set(name, made);
  return made;
}

function remember(client: Client, node: Node): NodeMemory {
  const images = new Map<string, number>();
  for (const { names = [] } of node.status.images ?? []) for (const one of names) keepImage(images, one, 0);
  for (const one of systemImages) keepImage(images, one, 0);
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
    if (containerID !== undefined && first) keepImage(images, image, first.startedAt ? parseTime(first.startedAt) : 0);
  }
}

export function keepImage(images: Map<string, number>, image: string | ImageReference, sinceMs: number): void {
  const reference = typeof image === "string" ? parseImage(image) : image;
  if ("error" in reference) return;
  images.set(reference.text, Math.min(images.get(reference.text) ?? Number.POSITIVE_INFINITY, sinceMs));
}

function takeLiving(memory: NodeMemory, found: readonly Pod[]): void {
  memory.taken.clear();
  for (const { spec, status } of found) {
    if (spec.hostNetwork || status.phase === "Succeeded" || status.phase === "Failed") continue;
    const value = parseIpv4(status.podIP ?? "");
    if (value !== undefined) memory.taken.add(value);
  }
}

/** The next address of the node's range; the network's, the gateway's and the broadcast address are not handed out. */
export function allocate(memory: NodeMemory, client: Client, node: Node): string | undefined {
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
