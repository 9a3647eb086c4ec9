// The processes of a local service: each runs the whole Worker and holds the clusters of its share of the sandboxes.

/** The path of the Node.js process beside the Workers, followed by a number: starts that process, and answers when it serves. */
export const processPath = "/processes/";

/** Returns the number of the process, from 0, that holds a sandbox's cluster. The ids are random, so the shares are about equal. */
export function processOf(sandboxId: string, processes: number): number {
  // FNV-1a
  let hash = 0x811c9dc5;
  for (let at = 0; at < sandboxId.length; at++) hash = Math.imul(hash ^ sandboxId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % processes;
}
