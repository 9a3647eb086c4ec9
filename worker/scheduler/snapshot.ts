// The scheduler's snapshot of the cluster: nodes with the sums of their pods, and nominated and assumed pods.
//
// It is derived: built from the client if it does not exist (after an eviction, for example), then updated by every change in order.
// Applying a change twice is harmless.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Selector } from "../../shared/k8s/selectors/labels.ts";
import { Nominator } from "./nomination.ts";
import { isPending } from "./pending.ts";
import { type NodeInfo, addPod, emptyNode, nodeFactsOf, removePod } from "./node-info.ts";
import { type PodInfo, podInfoOf } from "./pod-info.ts";

interface SelectorCount {
  readonly namespace: string;
  readonly selector: Selector;
  readonly byNode: Map<NodeInfo, number>;
  /** The sums over existing nodes by topology key and value. Computed on first use. */
  readonly byDomain: Map<string, Map<string, number>>;
}

/** The number of selectors whose matches are counted incrementally. The least recently used one is dropped. */
const countedSelectors = 64;

export class Snapshot {
  readonly #nodes = new Map<string, NodeInfo>();
  /** The bound pods by uid, with the version that is counted. */
  readonly #pods = new Map<string, { readonly info: PodInfo; readonly version: number }>();
  readonly #counts = new Map<string, SelectorCount>();
  #order: NodeInfo[] | undefined;
  readonly nominator = new Nominator();
  /** The uids of pods that count on a node before they are bound. */
  readonly #assumed = new Set<string>();
  /** The uids of the pods with a node that use a claim, by namespace and name. */
  readonly #claimUsers = new Map<string, Set<string>>();
  /** The nodes with a pod that has affinity terms. */
  readonly nodesWithAffinity = new Set<NodeInfo>();
  /** The number of nodes that have an image, by name. */
  readonly imageNodes = new Map<string, number>();
  /** The index in `nodeInfoList` at which the next search starts. */
  nextStartNodeIndex = 0;

  /** The existing nodes in the order of the search. */
  get nodeInfoList(): readonly NodeInfo[] {
    this.#order ??= inZoneOrder([...this.#nodes.values()].filter(({ exists }) => exists));
    return this.#order;
  }

  node(name: string): NodeInfo | undefined {
    const node = this.#nodes.get(name);
    return node?.exists ? node : undefined;
  }

  setNode(object: Node): void {
    const node = this.#nodeNamed(object.metadata.name ?? "");
    const zone = zoneOf(node);
    const existed = node.exists;
    const { labels } = node.facts;
    this.#countImages(node, -1);
    node.facts = nodeFactsOf(object);
    node.exists = true;
    this.#countImages(node, 1);
    if (!existed || zone !== zoneOf(node)) this.#order = undefined;
    if (!existed || JSON.stringify(labels) !== JSON.stringify(node.facts.labels)) this.#forgetDomains();
  }

  removeNode(name: string): void {
    const node = this.#nodes.get(name);
    if (!node) return;
    this.#countImages(node, -1);
    node.exists = false;
    if (node.pods.size === 0) this.#nodes.delete(name);
    this.#order = undefined;
    this.#forgetDomains();
  }

  setPod(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const version = Number(pod.metadata.resourceVersion ?? 0);
    const counted = this.#pods.get(uid);
    // The change is older than the state from which the snapshot was built.
    if (counted && counted.version > version) return;
    this.nominator.deleteNominatedPodIfExists(uid);
    if (isPending(pod)) {
      const node = pod.status.nominatedNodeName ?? "";
      if (node !== "" && !this.#assumed.has(uid)) this.nominator.addNominatedPod(podInfoOf(pod), node);
      return;
    }
    this.#assumed.delete(uid);
    if (!pod.spec.nodeName || pod.status.phase === "Succeeded" || pod.status.phase === "Failed") {
      this.#uncount(uid);
      return;
    }
    if (counted) this.#uncount(uid);
    this.#count(podInfoOf(pod), version);
  }

  removePod(uid: string): void {
    this.nominator.deleteNominatedPodIfExists(uid);
    this.#assumed.delete(uid);
    this.#uncount(uid);
  }

  /** Counts a pod on a node before it is bound. */
  assumePod(pod: PodInfo, nodeName: string): void {
    this.nominator.deleteNominatedPodIfExists(pod.uid);
    this.forgetPod(pod.uid);
    this.#assumed.add(pod.uid);
    this.#count({ ...pod, nodeName }, 0);
  }

  /** Returns the node of an assumed pod. */
  assumedNode(uid: string): string | undefined {
    return this.#assumed.has(uid) ? this.#pods.get(uid)?.info.nodeName : undefined;
  }

  forgetPod(uid: string): void {
    if (this.#assumed.delete(uid)) this.#uncount(uid);
  }

  /** Reports whether a pod with a node uses the claim. */
  isClaimUsed(namespace: string, name: string): boolean {
    return (this.#claimUsers.get(`${namespace}/${name}`)?.size ?? 0) > 0;
  }

  /** Counts the matching pods of a namespace by node. Nodes without any may be missing. Pods that are being deleted do not count. */
  matches(namespace: string, selector: Selector): ReadonlyMap<NodeInfo, number> {
    return this.#countOf(namespace, selector).byNode;
  }

  /** Counts them by the value of a node label. Nodes without the label are left out. */
  matchesByDomain(namespace: string, selector: Selector, topologyKey: string): ReadonlyMap<string, number> {
    const { byNode, byDomain } = this.#countOf(namespace, selector);
    const domainSums = byDomain.get(topologyKey);
    if (domainSums) return domainSums;
    const sums = new Map<string, number>();
    byDomain.set(topologyKey, sums);
    for (const [node, count] of byNode) raise(sums, topologyKey, node, count);
    return sums;
  }

  #countOf(namespace: string, selector: Selector): SelectorCount {
    const key = `${namespace}\n${selector.toString()}`;
    const count = this.#counts.get(key) ?? this.#countFor(namespace, selector);
    this.#counts.delete(key);
    this.#counts.set(key, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > countedSelectors && oldest !== undefined) this.#counts.delete(oldest);
    return count;
  }

  #forgetDomains(): void {
    for (const { byDomain } of this.#counts.values()) byDomain.clear();
  }

  #nodeNamed(name: string): NodeInfo {
    const existing = this.#nodes.get(name);
    if (existing) return existing;
    const node = emptyNode(name);
    this.#nodes.set(name, node);
    return node;
  }

  #count(info: PodInfo, version: number): void {
    const node = this.#nodeNamed(info.nodeName);
    addPod(node, info);
    this.#pods.set(info.uid, { info, version });
    if (info.terms) this.nodesWithAffinity.add(node);
    this.#countMatches(node, info, 1);
    for (const { name } of info.volumes?.claims ?? []) {
      const key = `${info.namespace}/${name}`;
      this.#claimUsers.set(key, (this.#claimUsers.get(key) ?? new Set()).add(info.uid));
    }
  }

  #uncount(uid: string): void {
    const counted = this.#pods.get(uid);
    if (!counted) return;
    this.#pods.delete(uid);
    const node = this.#nodeNamed(counted.info.nodeName);
    removePod(node, counted.info);
    if (node.podsWithAffinity.size === 0) this.nodesWithAffinity.delete(node);
    this.#countMatches(node, counted.info, -1);
    for (const { name } of counted.info.volumes?.claims ?? []) {
      const users = this.#claimUsers.get(`${counted.info.namespace}/${name}`);
      users?.delete(uid);
      if (users?.size === 0) this.#claimUsers.delete(`${counted.info.namespace}/${name}`);
    }
    if (!node.exists && node.pods.size === 0) this.#nodes.delete(node.name);
  }

  #countMatches(node: NodeInfo, pod: PodInfo, sign: 1 | -1): void {
    if (pod.isBeingDeleted) return;
    for (const { namespace, selector, byNode, byDomain } of this.#counts.values()) {
      if (namespace !== pod.namespace || !selector.matches(pod.labels)) continue;
      byNode.set(node, (byNode.get(node) ?? 0) + sign);
      for (const [topologyKey, sums] of byDomain) raise(sums, topologyKey, node, sign);
    }
  }

  #countFor(namespace: string, selector: Selector): SelectorCount {
    const byNode = new Map<NodeInfo, number>();
    for (const { info } of this.#pods.values()) {
      if (info.namespace !== namespace || info.isBeingDeleted || !selector.matches(info.labels)) continue;
      const node = this.#nodeNamed(info.nodeName);
      byNode.set(node, (byNode.get(node) ?? 0) + 1);
    }
    return { namespace, selector, byNode, byDomain: new Map() };
  }

  #countImages(node: NodeInfo, sign: 1 | -1): void {
    if (!node.exists) return;
    for (const name of node.facts.images.keys()) {
      const count = (this.imageNodes.get(name) ?? 0) + sign;
      if (count > 0) this.imageNodes.set(name, count);
      else this.imageNodes.delete(name);
    }
  }
}

function raise(sums: Map<string, number>, topologyKey: string, node: NodeInfo, by: number): void {
  const value = node.facts.labels[topologyKey];
  if (value !== undefined && node.exists) sums.set(value, (sums.get(value) ?? 0) + by);
}

function inZoneOrder(nodes: Iterable<NodeInfo>): NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const members = zones.get(zone);
    if (members) members.push(node);
    else zones.set(zone, [node]);
  }
  const order: NodeInfo[] = [];
  const longest = Math.max(0, ...[...zones.values()].map((members) => members.length));
  for (let at = 0; at < longest; at++) {
    for (const members of zones.values()) {
      const node = members[at];
      if (node) order.push(node);
    }
  }
  return order;
}

/** Returns a text of the region and the zone. */
function zoneOf({ facts: { labels } }: NodeInfo): string {
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  return `${region}\n${zone}`;
}
