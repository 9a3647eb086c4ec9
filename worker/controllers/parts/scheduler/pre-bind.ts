// What has to be there before a pod can be bound to its node (upstream: the plugins' Reserve and PreBind).
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { bindClaims } from "./bind-claims.ts";
import { bindVolumes } from "./bind-volumes.ts";
import { dynamicResources } from "./dynamic-resources.ts";
import { withNomination } from "./nomination.ts";
import type { Cycle } from "./plugin.ts";
import { volumeBinding, volumeDecision } from "./volume-binding.ts";

/** Sees to it, and names the plugins that wait for others; none: the pod can be bound. */
export function prepareNode(cycle: Cycle, nodeName: string, context: ReconcileContext): ReadonlySet<string> {
  const { client } = context;
  const node = cycle.snapshot.node(nodeName);
  const volumes = node && volumeDecision(cycle, node);
  const hasClaims = (cycle.pod.spec.resourceClaims?.length ?? 0) > 0;
  if (!node || (!volumes && !hasClaims)) return new Set();
  announce(cycle, nodeName, context);
  const waits = new Set<string>();
  if (volumes) {
    bindVolumes(volumes, nodeName, client);
    waits.add(volumeBinding.name);
  }
  if (hasClaims && !bindClaims(cycle, node, context)) waits.add(dynamicResources.name);
  return waits;
}

/** Others may act on where the pod will go before it is there. */
function announce({ pod }: Cycle, nodeName: string, { client }: ReconcileContext): void {
  if (pod.status.nominatedNodeName === nodeName) return;
  client.updateStatus(pods, { ...pod, status: withNomination(pod.status, nodeName) });
}
