// The relevant fields of nodes, cached because reading many nodes at each change is slow. Derived from the client on first use, then
// updated by every change in order. Applying a change twice is harmless.
import type { Node, Taint } from "../../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../../shared/k8s/selectors/labels.ts";
import type { Client } from "../../registry/client.ts";
import { nodes } from "../../kinds/core/node/node.ts";

export interface NodeFacts {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

export function nodeFactsOf({ metadata: { name = "", labels = {} }, spec: { taints = [] } }: Node): NodeFacts {
  return { name, labels, taints };
}

interface VersionedNodeFacts extends NodeFacts {
  readonly version: number;
}

export class NodeCache {
  #facts: Map<string, VersionedNodeFacts> | undefined;
  #order: readonly NodeFacts[] | undefined;

  /** Returns the nodes in the order of their names. */
  list(client: Client): readonly NodeFacts[] {
    const factsByName = (this.#facts ??= new Map(
      [...client.each(nodes)].map((node) => [node.metadata.name ?? "", versionedFactsOf(node)]),
    ));
    return (this.#order ??= [...factsByName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  /** Applies a change of a node. `next` is undefined for a deletion. */
  applyChange(next: Node | undefined, previous: Node | undefined): void {
    const node = next ?? previous;
    if (!this.#facts || !node) return;
    const nodeFacts = versionedFactsOf(node);
    // The change is older than the cached state.
    if ((this.#facts.get(nodeFacts.name)?.version ?? 0) > nodeFacts.version) return;
    if (next) this.#facts.set(nodeFacts.name, nodeFacts);
    else this.#facts.delete(nodeFacts.name);
    this.#order = undefined;
  }
}

function versionedFactsOf(node: Node): VersionedNodeFacts {
  return { ...nodeFactsOf(node), version: Number(node.metadata.resourceVersion ?? 0) };
}
