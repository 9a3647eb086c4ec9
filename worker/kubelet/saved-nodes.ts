// The states of the nodes' container runtimes as JSON. They determine the addresses of pods and which images are pulled.
import type { NodeMemories } from "../containers/cri.ts";

interface SavedNode {
  readonly name: string;
  readonly uid: string;
  readonly next: number;
  readonly taken: readonly number[];
  readonly images: readonly (readonly [string, number])[];
}

/** Returns the states; undefined if there are none. */
export function savedNodes(nodes: NodeMemories): readonly SavedNode[] | undefined {
  if (nodes.size === 0) return undefined;
  return [...nodes].map(([name, { uid, next, taken, images }]) => ({
    name,
    uid,
    next,
    taken: [...taken],
    images: [...images],
  }));
}

export function restoreNodes(nodes: NodeMemories, saved: unknown): void {
  // `savedNodes` returned it.
  for (const { name, uid, next, taken, images } of saved as readonly SavedNode[])
    nodes.set(name, { uid, next, taken: new Set(taken), images: new Map(images) });
}
