// The claims of a StatefulSet's pods: made before the pod, kept by name, and owned as the retention policy says.
import type { StatefulSet } from "../../../../shared/k8s/api/apps-v1.ts";
import type { PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { type Draft, isBeingDeleted } from "../../../../shared/k8s/meta.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import {
  type Member,
  deletesWhenScaled,
  hasOtherController,
  isOfEarlierPod,
  isOwnerUpToDate,
  updatedOwners,
} from "./claim-owners.ts";
import { ordinalOf } from "./identity.ts";

type Context = Pick<ReconcileContext, "client" | "event">;

/** Upstream's `getPersistentVolumeClaimName`. */
export function claimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name ?? ""}-${ordinal}`;
}

/** Upstream's `createPersistentVolumeClaims`: every claim is tried; throws when one is not there to be used. */
export function createClaims(set: StatefulSet, pod: Member, { client, event }: Context): void {
  const failures: string[] = [];
  for (const draft of claimsOf(set, pod)) {
    const { name = "", namespace = "" } = draft.metadata ?? {};
    const found = client.get(persistentVolumeClaims, namespace, name);
    if (found && isBeingDeleted(found)) failures.push(`pvc ${name} is being deleted`);
    if (found) continue;
    const where = `Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
    try {
      client.create(persistentVolumeClaims, draft);
      event(set, "Normal", "SuccessfulCreate", `Create Claim ${name} ${where} success`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(`failed to create PVC ${name}: ${error.message}`);
      event(set, "Warning", "FailedCreate", `Create Claim ${name} for ${where} failed error: ${error.message}`);
    }
  }
  const [only = ""] = failures;
  if (failures.length === 0) return;
  throw new ApiError(500, "InternalError", failures.length === 1 ? only : `[${failures.join(", ")}]`);
}

/** Upstream's `ClaimsMatchRetentionPolicy`. */
export function claimsMatchPolicy(set: StatefulSet, pod: Member, { client }: Context): boolean {
  return foundClaims(set, pod, client).every((claim) => isOwnerUpToDate(claim, { set, pod }));
}

/** Upstream's `UpdatePodClaimForRetentionPolicy`. */
export function applyPolicy(set: StatefulSet, pod: Member, { client, event }: Context): void {
  for (const claim of foundClaims(set, pod, client)) {
    const name = claim.metadata.name ?? "";
    if (hasOtherController(claim, { set, pod })) {
      const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      event(set, "Warning", "ConflictingController", message);
    }
    if (isOwnerUpToDate(claim, { set, pod })) continue;
    const ownerReferences = updatedOwners(claim, { set, pod });
    try {
      client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `could not update claim ${name} for delete policy ownerRefs: ${error.message}`;
      throw new ApiError(error.code, error.reason, message, error.details);
    }
  }
}

/** Upstream's `PodClaimIsStale`: a claim that is still to go with an earlier pod must go before the next one comes. */
export function hasStaleClaim(set: StatefulSet, pod: Member, { client }: Context): boolean {
  return deletesWhenScaled(set) && foundClaims(set, pod, client).some((claim) => isOfEarlierPod(claim, pod));
}

/** The StatefulSets of a namespace in whose names a claim could have been made. */
export function setsOfClaim(sets: readonly StatefulSet[], { metadata }: PersistentVolumeClaim): StatefulSet[] {
  const ordinal = ordinalOf({ metadata });
  if (ordinal === undefined) return [];
  return sets.filter((set) =>
    set.spec.volumeClaimTemplates?.some((one) => claimName(set, one.metadata.name ?? "", ordinal) === metadata.name),
  );
}

function foundClaims(set: StatefulSet, pod: Member, client: Context["client"]): PersistentVolumeClaim[] {
  return claimsOf(set, pod)
    .map(({ metadata }) => client.get(persistentVolumeClaims, metadata?.namespace ?? "", metadata?.name ?? ""))
    .filter((claim) => claim !== undefined);
}

/** Upstream's `getPersistentVolumeClaims`. */
function claimsOf(set: StatefulSet, pod: Member): Draft<PersistentVolumeClaim>[] {
  const ordinal = ordinalOf(pod) ?? -1;
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      name: claimName(set, metadata.name ?? "", ordinal),
      namespace: set.metadata.namespace ?? "",
      annotations: metadata.annotations ?? {},
      labels: { ...metadata.labels, ...set.spec.selector?.matchLabels },
      finalizers: metadata.finalizers ?? [],
    },
    spec,
  }));
}
