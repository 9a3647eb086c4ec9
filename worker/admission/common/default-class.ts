// Selects the default class: of several with the default annotation the newest, of equally old ones the first by name.
import type { KubeObject } from "../../../shared/k8s/meta.ts";

export function newest<T extends KubeObject>(objects: readonly T[]): T | undefined {
  return [...objects].sort((a, b) => {
    const [at, bt] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
    if (at !== bt) return at > bt ? -1 : 1;
    return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
  })[0];
}
