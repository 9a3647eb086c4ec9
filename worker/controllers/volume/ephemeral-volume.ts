// The ephemeral volume controller: creates the claim of a pod's ephemeral volume, which is deleted with the pod.
import type { Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../../runtime/controller.ts";
import { volumeClaimName, volumeIsForPod } from "../common/volumes/pod-claims.ts";

export const ephemeralVolumeController = defineController({
  name: "ephemeral-volume-controller",
  component: "ephemeral_volume",
  watches: [
    watch<Pod>(pods, function* (next, previous) {
      if (next && !previous && hasEphemeral(next)) yield requestOf(next);
    }),
    watch(persistentVolumeClaims, function* (next, previous, client): Generator<Request> {
      const owner = next ? undefined : previous?.metadata.ownerReferences?.find(({ kind }) => kind === "Pod");
      const pod = owner && client.get(pods, previous?.metadata.namespace ?? "", owner.name);
      if (pod && hasEphemeral(pod)) yield requestOf(pod);
    }),
  ],
  reconcile({ namespace, name }, context) {
    const pod = context.client.get(pods, namespace, name);
    if (!pod || pod.metadata.deletionTimestamp) return undefined;
    for (const volume of pod.spec.volumes ?? []) ensureClaim(pod, volume, context);
    return undefined;
  },
});

function hasEphemeral({ spec }: Pod): boolean {
  return spec.volumes?.some(({ ephemeral }) => ephemeral) ?? false;
}

function ensureClaim(pod: Pod, volume: Volume, { client, event }: ReconcileContext): void {
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (!template) return;
  const { namespace = "", name: podName = "", uid = "" } = pod.metadata;
  const name = volumeClaimName(pod, volume);
  const fail = (why: string) => event(pod, "Warning", "FailedBinding", `ephemeral volume ${volume.name}: ${why}`);
  const existing = client.get(persistentVolumeClaims, namespace, name);
  if (existing) {
    const problem = volumeIsForPod(pod, existing);
    if (problem === undefined) return;
    fail(problem);
    throw ApiError.conflict(persistentVolumeClaims.groupResource, name, problem);
  }
  const { labels, annotations } = template.metadata;
  const owner = { apiVersion: "v1", kind: "Pod", name: podName, uid, controller: true, blockOwnerDeletion: true };
  try {
    client.create(persistentVolumeClaims, {
      metadata: {
        name,
        namespace,
        ownerReferences: [owner],
        ...(labels ? { labels } : {}),
        ...(annotations ? { annotations } : {}),
      },
      spec: template.spec,
    });
  } catch (error) {
    if (error instanceof ApiError) fail(`create PVC ${name}: ${error.message}`);
    throw error;
  }
}
