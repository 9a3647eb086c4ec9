// Ownership of `/scale`: who owns the replicas of a workload owns those of its Scale, and the other way round.
import { FieldSet } from "./field-set.ts";
import { isSame, type Owned } from "./managers.ts";

/** In a Scale, and where a kind says nothing else. */
const replicasPath = ["f:spec", "f:replicas"];
const replicas = FieldSet.path(replicasPath);
const scaleVersion = "autoscaling/v1";

/** Where the objects of a version have their replicas. */
export interface ScaledVersion {
  readonly apiVersion: string;
  /** Absent: it has no `/scale`. */
  readonly scale?: { readonly replicasPath?: readonly string[] };
}

/** Entries in a version that is none of these are not known to have any. */
export function ownersOfScale(owners: readonly Owned[], versions: readonly ScaledVersion[]): Owned[] {
  return owners
    .filter((owner) => ownsReplicas(owner, versions))
    .map((owner) => ({ ...owner, apiVersion: scaleVersion, fields: replicas }));
}

/** The workload's owners after a write of its Scale. Who comes to own the replicas by it gets an entry without a time. */
export function ownersAfterScale(
  owners: readonly Owned[],
  ofScale: readonly Owned[],
  kind: ScaledVersion,
  versions: readonly ScaledVersion[],
): readonly Owned[] {
  const known = owners.filter((owner) => versions.some(({ apiVersion }) => apiVersion === owner.apiVersion));
  const isKept = (owner: Owned) => ownsReplicas(owner, versions) && ofScale.some((one) => isSame(one, owner));
  const left = known.map((owner) => (isKept(owner) ? owner : withoutReplicas(owner, versions)));
  const fields = FieldSet.path(pathOf(kind) ?? replicasPath);
  const fresh = ofScale
    .filter((one) => one.fields.has(replicasPath) && !known.some((owner) => isKept(owner) && isSame(one, owner)))
    .map(({ time: _, ...one }) => ({ ...one, apiVersion: kind.apiVersion, fields }));
  return [...left.filter((owner) => !owner.fields.isEmpty), ...fresh];
}

function ownsReplicas({ apiVersion, fields }: Owned, versions: readonly ScaledVersion[]): boolean {
  const path = pathIn(apiVersion, versions);
  return path !== undefined && fields.has(path);
}

function withoutReplicas(owner: Owned, versions: readonly ScaledVersion[]): Owned {
  const path = pathIn(owner.apiVersion, versions);
  return path ? { ...owner, fields: owner.fields.difference(FieldSet.path(path)) } : owner;
}

function pathIn(apiVersion: string, versions: readonly ScaledVersion[]): readonly string[] | undefined {
  const version = versions.find((one) => one.apiVersion === apiVersion);
  return version && pathOf(version);
}

function pathOf({ scale }: ScaledVersion): readonly string[] | undefined {
  return scale && (scale.replicasPath?.map((name) => `f:${name}`) ?? replicasPath);
}
