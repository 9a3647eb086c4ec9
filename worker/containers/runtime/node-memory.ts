// The state of a node between reconciles: addresses in use and present images. It is derived from the node and its pods, so losing it costs
// one scan of them.
import { formatIpv4, parseIpv4Range, parseIpv4 } from "../../../shared/k8s/ip.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { systemImagesOf } from "../../machine/machine.ts";
import type { Client } from "../../registry/client.ts";
import type { NodeMemories, NodeMemory } from "../cri.ts";
import { type ImageReference, parseImage } from "../images/reference.ts";

export function rememberedNode(memories: NodeMemories, client: Client, node: Node): NodeMemory {
  const name = node.metadata.name ?? "";
  const cachedMemory = memories.get(name);
  if (cachedMemory && cachedMemory.uid === node.metadata.uid) return cachedMemory;
  const newMemory = remember(client, node);
  memories.set(name, newMemory);
  return newMemory;
}

function remember(client: Client, node: Node): NodeMemory {
  const images = new Map<string, number>();
  for (const { names = [] } of node.status.images ?? []) for (const name of names) keepImage(images, name, 0);
  for (const image of systemImagesOf(client.release)) keepImage(images, image, 0);
  const range = parseIpv4Range(node.spec.podCIDR ?? "");
  const memory: NodeMemory = { uid: node.metadata.uid ?? "", taken: new Set(), next: (range?.first ?? 0) + 2, images };
  const nodePods = client.byIndexValue(pods, node.metadata.name ?? "");
  for (const pod of nodePods) keepImagesOf(images, pod);
  takeLiving(memory, nodePods);
  const inRange = [...memory.taken].filter(
    (address) => range && address >= range.first && address < range.first + range.size,
  );
  memory.next = Math.max(memory.next, ...inRange.map((address) => address + 1));
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

function takeLiving(memory: NodeMemory, nodePods: readonly Pod[]): void {
  memory.taken.clear();
  for (const { spec, status } of nodePods) {
    if (spec.hostNetwork || status.phase === "Succeeded" || status.phase === "Failed") continue;
    const value = parseIpv4(status.podIP ?? "");
    if (value !== undefined) memory.taken.add(value);
  }
}

/** Allocates the next address of the node's range. The addresses of the network, the gateway and broadcast are skipped. */
export function allocate(memory: NodeMemory, client: Client, node: Node): string | undefined {
  const range = parseIpv4Range(node.spec.podCIDR ?? "");
  if (!range) return undefined;
  const [first, end] = [range.first + 2, range.first + range.size - 1];
  let value = free(memory.taken, Math.max(memory.next, first), end);
  if (value === undefined) {
    // After the end of the range, addresses that became free are used again.
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
