// Ownership of `/scale`: who owns the replicas of a workload owns those of its Scale, and the other way round.
import { FieldSet } from "./field-set.ts";
import { isSame, type Owned } from "./managers.ts";

/** In a Scale as in every workload that has one. */
const replicasPath = ["f:spec", "f:replicas"];
const replicas = FieldSet.path(replicasPath);
const scaleVersion = "autoscaling/v1";

/** Entries in another version than the workload's are not known to have any. */
export function ownersOfScale(owners: readonly Owned[], apiVersion: string): Owned[] {
  return owners
    .filter((owner) => owner.apiVersion === apiVersion && owner.fields.has(replicasPath))
    .map((owner) => ({ ...owner, apiVersion: scaleVersion, fields: replicas }));
}

/** The workload's owners after a write of its Scale. Who comes to own the replicas by it gets an entry without a time. */
export function ownersAfterScale(
  owners: readonly Owned[],
  ofScale: readonly Owned[],
  apiVersion: string,
): readonly Owned[] {
  const known = owners.filter((owner) => owner.apiVersion === apiVersion);
  const kept = known.filter((owner) => owner.fields.has(replicasPath) && ofScale.some((one) => isSame(one, owner)));
  const left = known.map((owner) =>
    kept.includes(owner) ? owner : { ...owner, fields: owner.fields.difference(replicas) },
  );
  const fresh = ofScale
    .filter((one) => one.fields.has(replicasPath) && !kept.some((owner) => isSame(one, owner)))
    .map(({ time: _, ...one }) => ({ ...one, apiVersion, fields: replicas }));
  return [...left.filter((owner) => !owner.fields.isEmpty), ...fresh];
}
