// Which nodes the sandbox runs itself.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";

/** On nodes of a new cluster; a user's node with it is run by the sandbox too. */
export const simulatedAnnotation = "sandbar.dev/simulated";

export function isSimulated(node: Node): boolean {
  return node.metadata.annotations?.[simulatedAnnotation] === "true";
}
