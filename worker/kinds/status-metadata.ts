// For status strategies that leave a writer no metadata at all: upstream's `ResetObjectMetaForStatus`.
import type { KubeObject } from "../../shared/k8s/meta.ts";

/** Everything that a writer might set is as before; the resource version stays for the check of conflicts. */
export function keepMetadata(draft: KubeObject, previous: KubeObject): void {
  const { resourceVersion } = draft.metadata;
  draft.metadata = { ...previous.metadata };
  if (resourceVersion) draft.metadata.resourceVersion = resourceVersion;
}
