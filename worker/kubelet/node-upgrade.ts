// Upgrades the kubelets of simulated nodes, one after another, to the release of the API server: first the node with the control plane, then
// the others by name. Pods keep running, because a kubelet that restarts does not stop its containers. Nodes are not drained.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import type { Release } from "../../shared/k8s/settings/release.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { machineStatus } from "../machine/machine.ts";
import type { Client } from "../registry/client.ts";
import { defineController, type ReconcileContext } from "../runtime/controller.ts";
import { recordStart } from "./node-events.ts";

/** The time between two nodes in milliseconds. */
const pauseMs = 10_000;
const controlPlaneLabel = "node-role.kubernetes.io/control-plane";

export const nodeUpgrade = "simulated-node-upgrade";

export const nodeUpgradeController = (isInstant: boolean) =>
  defineController({
    name: nodeUpgrade,
    user: "system:node:sandbar",
    component: "kubelet",
    // The upgrade of the control plane requests the first reconcile, and each node leads to the next one.
    watches: [],
    reconcile(_request, context) {
      const [node] = outdatedNodes(context.client);
      const lastMs = Number(context.savedState ?? "0");
      if (!node) return undefined;
      const leftMs = isInstant ? 0 : lastMs + pauseMs - context.nowMs;
      if (leftMs > 0) return { afterMs: leftMs, savedState: String(lastMs) };
      upgradeNode(node, context);
      return { afterMs: isInstant ? 0 : pauseMs, savedState: String(context.nowMs) };
    },
  });

/** Writes the release's version, images and features into the status, as the new kubelet does when it starts. */
function upgradeNode(node: Node, { client, nowMs, event }: Pick<ReconcileContext, "client" | "nowMs" | "event">): void {
  const { name = "" } = node.metadata;
  const { nodeInfo, declaredFeatures, images } = machineStatus({ name, address: "", nowMs, release: client.release });
  const { declaredFeatures: _old, ...status } = node.status;
  const kubelet = { nodeInfo, images: [...(images ?? []), ...otherImages(node, images)] };
  client.updateStatus(nodes, {
    ...node,
    status: { ...status, ...kubelet, ...(declaredFeatures ? { declaredFeatures } : {}) },
  });
  recordStart(name, event);
}

function otherImages({ status }: Node, images: Node["status"]["images"] = []) {
  const names = new Set(images.flatMap((image) => image.names ?? []));
  return (status.images ?? []).filter((image) => !image.names?.some((name) => names.has(name)));
}

function outdatedNodes(client: Client): Node[] {
  const outdated = [...client.each(nodes)].filter((node) => isSimulated(node) && isOutdated(node, client.release));
  return outdated.sort((a, b) => Number(hasControlPlane(b)) - Number(hasControlPlane(a)));
}

function hasControlPlane({ metadata }: Node): boolean {
  return metadata.labels?.[controlPlaneLabel] !== undefined;
}

function isOutdated(node: Node, { tag }: Release): boolean {
  const version = versionOf(node);
  return version !== "" && version !== tag;
}

function versionOf({ status }: Node): string {
  return status.nodeInfo?.kubeletVersion ?? "";
}
