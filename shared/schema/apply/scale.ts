// Ownership of `/scale`: who owns the replicas of a workload owns those of its Scale, and the other way round.
import { FieldSet } from "./field-set.ts";
import { isSame, type Owned } from "./managers.ts";

/** In a Scale, and where a kind says nothing else. */
const replicasPath = ["f:spec", "f:replicas"];
const replicas = FieldSet.path(replicasPath);
const scaleVersion = "autoscaling/v1";

/** Where a workload has its replicas. */
export interface ScaledKind {
  readonly apiVersion: string;
  readonly scale?: { readonly replicasPath?: readonly string[] };
}

/** Entries in another version than the workload's are not known to have any. */
export function ownersOfScale(owners: readonly Owned[], kind: ScaledKind): Owned[] {
  const workloads = pathOf(kind);
  return owners
    .filter((owner) => owner.apiVersion === kind.apiVersion && owner.fields.has(workloads))
    .map((owner) => ({ ...owner, apiVersion: scaleVersion, fields: replicas }));
}

/** The workload's owners after a write of its Scale. Who comes to own the replicas by it gets an entry without a time. */
export function ownersAfterScale(
  owners: readonly Owned[],
  ofScale: readonly Owned[],
  kind: ScaledKind,
): readonly Owned[] {
  const { apiVersion } = kind;
  const workloads = pathOf(kind);
  const workloadsReplicas = FieldSet.path(workloads);
  const known = owners.filter((owner) => owner.apiVersion === apiVersion);
  const kept = known.filter((owner) => owner.fields.has(workloads) && ofScale.some((one) => isSame(one, owner)));
  const left = known.map((owner) =>
    kept.includes(owner) ? owner : { ...owner, fields: owner.fields.difference(workloadsReplicas) },
  );
  const fresh = ofScale
    .filter((one) => one.fields.has(replicasPath) && !kept.some((owner) => isSame(one, owner)))
    .map(({ time: _, ...one }) => ({ ...one, apiVersion, fields: workloadsReplicas }));
  return [...left.filter((owner) => !owner.fields.isEmpty), ...fresh];
}

function pathOf({ scale }: ScaledKind): readonly string[] {
  return scale?.replicasPath?.map((name) => `f:${name}`) ?? replicasPath;
}
