// What DaemonSets ask of nodes, remembered: many nodes would be long to read at each change of one.
//
// It is derived: read from the client when it is first asked for, and then kept by every change, in order. Applying a change again, or one
// that was known already, does no harm.
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

interface Known extends NodeFacts {
  readonly version: number;
}

export class RememberedNodes {
  #known: Map<string, Known> | undefined;
  #order: readonly NodeFacts[] | undefined;

  /** In the order of their names. */
  list(client: Client): readonly NodeFacts[] {
    const known = (this.#known ??= new Map(
      [...client.each(nodes)].map((node) => [node.metadata.name ?? "", knownOf(node)]),
    ));
    return (this.#order ??= [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  /** Told of each change of a node: `next` is absent for a deletion. */
  changed(next: Node | undefined, previous: Node | undefined): void {
    const node = next ?? previous;
    if (!this.#known || !node) return;
    const one = knownOf(node);
    // Older than what was read.
    if ((this.#known.get(one.name)?.version ?? 0) > one.version) return;
    if (next) this.#known.set(one.name, one);
    else this.#known.delete(one.name);
    this.#order = undefined;
  }
}

function knownOf(node: Node): Known {
  return { ...nodeFactsOf(node), version: Number(node.metadata.resourceVersion ?? 0) };
}
