// Ownership of `/scale`: the owner of a workload's replicas owns those of its Scale, and vice versa.
import { FieldSet } from "./field-set.ts";
import { isSame, type ManagedFields } from "./managers.ts";

/** The path in a Scale, and the default of a kind. */
const replicasPath = ["f:spec", "f:replicas"];
const replicas = FieldSet.path(replicasPath);
const scaleVersion = "autoscaling/v1";

/** The path of the replicas in one version of a kind. */
export interface ScaledVersion {
  readonly apiVersion: string;
  /** Undefined if the version has no `/scale`. */
  readonly scale?: { readonly replicasPath?: readonly string[] };
}

/** Returns the managers of the Scale. Entries of other versions are assumed to own no replicas. */
export function managersOfScale(
  managers: readonly ManagedFields[],
  versions: readonly ScaledVersion[],
): ManagedFields[] {
  return managers
    .filter((owner) => ownsReplicas(owner, versions))
    .map((owner) => ({ ...owner, apiVersion: scaleVersion, fields: replicas }));
}

/** Returns the workload's managers after a write of its Scale. A new owner of the replicas gets an entry without a time. */
export function managersAfterScale(
  managers: readonly ManagedFields[],
  ofScale: readonly ManagedFields[],
  kind: ScaledVersion,
  versions: readonly ScaledVersion[],
): readonly ManagedFields[] {
  const versioned = managers.filter((owner) => versions.some(({ apiVersion }) => apiVersion === owner.apiVersion));
  const isKept = (owner: ManagedFields) =>
    ownsReplicas(owner, versions) && ofScale.some((manager) => isSame(manager, owner));
  const left = versioned.map((owner) => (isKept(owner) ? owner : withoutReplicas(owner, versions)));
  const fields = FieldSet.path(pathOf(kind) ?? replicasPath);
  const fresh = ofScale
    .filter(
      (manager) =>
        manager.fields.has(replicasPath) && !versioned.some((owner) => isKept(owner) && isSame(manager, owner)),
    )
    .map(({ time: _, ...manager }) => ({ ...manager, apiVersion: kind.apiVersion, fields }));
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
  const version = versions.find((candidate) => candidate.apiVersion === apiVersion);
  return version && pathOf(version);
}

function pathOf({ scale }: ScaledVersion): readonly string[] | undefined {
  return scale && (scale.replicasPath?.map((name) => `f:${name}`) ?? replicasPath);
}
