// The locks of leader election that a killed operator holds. They are released, so that its next process does not wait until they expire.
import type { Sandbar } from "../index.ts";
import { Kube, type KubeJson } from "./kube.ts";

interface List {
  readonly items: readonly KubeJson[];
}

const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** The namespaces whose leases are the cluster's own. */
const clusterNamespaces = new Set(["kube-node-lease", "kube-system"]);

/** Releases the leases, and the annotated ConfigMaps of old clients, outside the cluster's own namespaces. */
export async function releaseLocks(client: Sandbar, sandbox: string): Promise<void> {
  const kube = await Kube.of(client, sandbox);
  const leases = await kube.get<List>("/apis/coordination.k8s.io/v1/leases");
  for (const { metadata } of leases.items) {
    if (clusterNamespaces.has(metadata.namespace ?? "")) continue;
    const path = `/apis/coordination.k8s.io/v1/namespaces/${metadata.namespace}/leases/${metadata.name}`;
    await kube.patch(path, { spec: { holderIdentity: "" } });
  }
  const { items } = await kube.get<List>("/api/v1/configmaps");
  for (const { metadata } of items) {
    if (metadata.annotations?.[leaderAnnotation] === undefined) continue;
    const path = `/api/v1/namespaces/${metadata.namespace}/configmaps/${metadata.name}`;
    await kube.patch(path, { metadata: { annotations: { [leaderAnnotation]: null } } });
  }
}
