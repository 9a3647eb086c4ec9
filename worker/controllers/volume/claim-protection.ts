// The protection of claims: a deleted claim stays while a bound pod uses it.
import type { PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { type Request, defineController, self, watch } from "../../runtime/controller.ts";
import { isDeletionCandidate, needToAddFinalizer, withFinalizer, withoutFinalizer } from "../common/finalizers.ts";
import { claimsOf, isPodTerminated, volumeIsForPod } from "../common/volumes/pod-claims.ts";

const claimFinalizer = "kubernetes.io/pvc-protection";

export const claimProtection = defineController({
  name: "pvc-protection-controller",
  component: "pvc-protection-controller",
  watches: [
    self(persistentVolumeClaims, (claim) => claim !== undefined && needsWork(claim)),
    watch(pods, function* (next, previous, client): Generator<Request> {
      const pod = next ?? previous;
      if (!pod || (next && !isPodTerminated(next) && next.spec.nodeName)) return;
      const namespace = pod.metadata.namespace ?? "";
      for (const { name } of claimsOf(pod)) {
        const claim = client.get(persistentVolumeClaims, namespace, name);
        if (claim && needsWork(claim)) yield { namespace, name };
      }
    }),
  ],
  reconcile({ namespace, name }, { client }) {
    const claim = client.get(persistentVolumeClaims, namespace, name);
    if (!claim) return undefined;
    const { metadata } = claim;
    if (needToAddFinalizer(claim, claimFinalizer)) {
      client.update(persistentVolumeClaims, { ...claim, metadata: withFinalizer(metadata, claimFinalizer) });
    } else if (isDeletionCandidate(claim, claimFinalizer)) {
      if (client.list(pods, { namespace }).some((pod) => podUsesPVCForDeletion(pod, claim))) return undefined;
      client.update(persistentVolumeClaims, { ...claim, metadata: withoutFinalizer(metadata, claimFinalizer) });
    }
    return undefined;
  },
});

function needsWork(claim: PersistentVolumeClaim): boolean {
  return needToAddFinalizer(claim, claimFinalizer) || isDeletionCandidate(claim, claimFinalizer);
}

/** Reports whether a pod uses a claim. An ended pod uses it until it is deleted. */
function podUsesPVCForDeletion(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const isShutDown = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  return claimsOf(pod).some(
    ({ name, isEphemeral }) =>
      name === claim.metadata.name && (!isEphemeral || (!isShutDown && volumeIsForPod(pod, claim) === undefined)),
  );
}
