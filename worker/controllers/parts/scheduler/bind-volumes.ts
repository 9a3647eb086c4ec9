// What the scheduler writes about volumes before it binds a pod (upstream: VolumeBinding's `PreBind`), and when it looks again.
import type { PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../../kinds/persistent-volume-claims.ts";
import { persistentVolumes } from "../../../kinds/persistent-volumes.ts";
import { pods } from "../../../kinds/pods.ts";
import type { Client } from "../../../registry/client.ts";
import { type Request, requestOf } from "../../../runtime/controller.ts";
import { selectedNode, withAnnotations } from "../volumes/annotations.ts";
import { boundVolume } from "../volumes/binding.ts";
import { namesClaim } from "../volumes/pod-claims.ts";
import { isGated, isPending } from "./pending.ts";
import type { VolumeDecision } from "./volume-binding.ts";

/** The volume controller and the provisioner do the rest. */
export function bindVolumes(decision: VolumeDecision, nodeName: string, client: Client): void {
  for (const { claim, volume } of decision.static) client.update(persistentVolumes, boundVolume(volume, claim));
  for (const claim of decision.dynamic) {
    const metadata = withAnnotations(claim.metadata, { [selectedNode]: nodeName });
    client.update(persistentVolumeClaims, { ...claim, metadata });
  }
}

/** The pods that a change of a claim may let go on. */
export function* afterClaim(next: PersistentVolumeClaim | undefined, client: Client): Generator<Request> {
  if (!next) return;
  const { namespace = "", name = "" } = next.metadata;
  for (const pod of client.list(pods, { namespace })) {
    if (isPending(pod) && !isGated(pod) && namesClaim(pod, name)) yield requestOf(pod);
  }
}

/** The waiting pods with claims: a volume or a class may be what they wait for. */
export function* afterStorage(waiting: Iterable<Request>, client: Client): Generator<Request> {
  for (const { namespace, name } of waiting) {
    const pod = client.get(pods, namespace, name);
    if (pod?.spec.volumes?.some((one) => one.persistentVolumeClaim || one.ephemeral)) yield { namespace, name };
  }
}
