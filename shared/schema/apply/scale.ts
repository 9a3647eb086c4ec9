// Ownership of `/scale`: who owns the replicas of a workload owns those of its Scale, and the other way round.
import { FieldSet } from "./field-set.ts";
import { isSame, type ManagedFields } from "./managers.ts";

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
export function managersOfScale(
  managers: readonly ManagedFields[],
  versions: readonly ScaledVersion[],
): ManagedFields[] {
  return managers
    .filter((owner) => ownsReplicas(owner, versions))
    .map((owner) => ({ ...owner, apiVersion: scaleVersion, fields: replicas }));
}

/** The workload's managers after a write of its Scale. Who comes to own the replicas by it gets an entry without a time. */
export function managersAfterScale(
  managers: readonly ManagedFields[],
  ofScale: readonly ManagedFields[],
  kind: ScaledVersion,
  versions: readonly ScaledVersion[],
): readonly ManagedFields[] {
  const known = managers.filter((owner) => versions.some(({ apiVersion }) => apiVersion === owner.apiVersion));
  const isKept = (owner: ManagedFields) => ownsReplicas(owner, versions) && ofScale.some((one) => isSame(one, owner));
  const left = known.map((owner) => (isKept(owner) ? owner : withoutReplicas(owner, versions)));
  const fields = FieldSet.path(pathOf(kind) ?? replicasPath);
  const fresh = ofScale
    .filter((one) => one.fields.has(replicasPath) && !known.some((owner) => isKept(owner) && isSame(one, owner)))
    .map(({ time: _, ...one }) => ({ ...one, apiVersion: kind.apiVersion, fields }));
  return [...left.filter((owner) => !owner.fields.isEmpty), ...fresh];
}

function ownsReplicas({ apiVersion, fields }: ManagedFields, versions: readonly ScaledVersion[]): boolean {
  const path = pathIn(apiVersion, versions);
  return path !== undefined && fields.has(path);
}

function withoutReplicas(owner: ManagedFields, versions: readonly ScaledVersion[]): ManagedFields {
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
