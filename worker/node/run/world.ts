// What containers and their kubelet can see of the cluster around them.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Edit } from "../shell/files.ts";
import type { Typed } from "../shell/input.ts";
import type { World } from "../shell/process.ts";

export interface ClusterView extends World {
  /** The texts of a ConfigMap or a Secret by key; undefined if it is not there. */
  data(kind: "configmap" | "secret", namespace: string, name: string): Readonly<Record<string, string>> | undefined;
  /** What a person changed in the files of a container while it ran. */
  edits(pod: Pod, container: string): readonly Edit[];
  /** What was typed to a container's own program. */
  typed(pod: Pod, container: string): Pick<Typed, "typed" | "hasEnded"> | undefined;
}

export const emptyView: ClusterView = {
  service: () => undefined,
  data: () => undefined,
  edits: () => [],
  typed: () => undefined,
};
