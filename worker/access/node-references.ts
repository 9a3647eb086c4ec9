// Finds the objects that the pods of a node reference, which the node may read (upstream: the node authorizer's graph).
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/k8s/api/core-v1.ts";
import { isObject } from "../../shared/schema/json-values.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Store } from "../store/store.ts";

/** The text of a reference: the plural, then namespace and name (`secrets ns/name`) or only the name (`persistentvolumes name`). */
export type Reference = `${string} ${string}`;

/** Mirror pods grant no access, because the node creates them itself. */
const mirrorAnnotation = "kubernetes.io/config.mirror";

export function referencesOfNode(store: Store, node: string): Set<Reference> {
  const references = new Set<Reference>();
  for (const key of store.byIndexValue(pods.resource, node)) {
    // The store has decoded objects of this kind.
    const pod = store.get(key) as Pod | undefined;
    if (!pod) continue;
    const { namespace = "", name = "", annotations = {} } = pod.metadata;
    references.add(`pods ${namespace}/${name}`);
    if (mirrorAnnotation in annotations) continue;
    for (const reference of referencesOfPod(pod)) references.add(reference);
  }
  for (const reference of [...references]) {
    if (reference.startsWith("persistentvolumeclaims ")) addVolumeOfClaim(store, reference, references);
  }
  return references;
}

function* referencesOfPod({ metadata, spec, status }: Pod): Generator<Reference> {
  const { namespace = "", name = "" } = metadata;
  if (spec.serviceAccountName) yield `serviceaccounts ${namespace}/${spec.serviceAccountName}`;
  for (const [plural, referencedName] of namesIn(spec)) yield `${plural} ${namespace}/${referencedName}`;
  for (const volume of spec.volumes ?? []) {
    const claim = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${name}-${volume.name}` : undefined);
    if (claim) yield `persistentvolumeclaims ${namespace}/${claim}`;
  }
  const generatedClaims = new Map(
    (status?.resourceClaimStatuses ?? []).map((claimStatus) => [claimStatus.name, claimStatus.resourceClaimName]),
  );
  for (const claim of spec.resourceClaims ?? []) {
    const claimName = claim.resourceClaimName ?? generatedClaims.get(claim.name);
    if (claimName) yield `resourceclaims ${namespace}/${claimName}`;
  }
}

function addVolumeOfClaim(store: Store, reference: Reference, references: Set<Reference>): void {
  const [namespace = "", name = ""] = reference.slice(reference.indexOf(" ") + 1).split("/");
  // The store has decoded objects of these kinds.
  const claim = store.get({ resource: persistentVolumeClaims.resource, namespace, name }) as
    | PersistentVolumeClaim
    | undefined;
  const volumeName = claim?.spec.volumeName;
  if (!volumeName) return;
  const volume = store.get({ resource: persistentVolumes.resource, namespace: "", name: volumeName }) as
    | PersistentVolume
    | undefined;
  const owner = volume?.spec.claimRef;
  if (!volume || owner?.namespace !== namespace || owner.name !== name) return;
  references.add(`persistentvolumes ${volumeName}`);
  for (const [plural, secret, secretNamespace] of namesIn(volume.spec))
    references.add(`${plural} ${secretNamespace || namespace}/${secret}`);
}

/** Fields that controllers use, not nodes. */
const controllerOnlyFields = new Set(["controllerPublishSecretRef", "controllerExpandSecretRef", "claimRef"]);

/** Finds every reference to a Secret or a ConfigMap at any depth: plural, name, and namespace if it has one. */
function* namesIn(value: unknown, key = ""): Generator<[plural: string, name: string, namespace: string]> {
  if (Array.isArray(value)) {
    for (const item of value) yield* key === "imagePullSecrets" ? secretOf(item) : namesIn(item);
    return;
  }
  if (!isObject(value) || controllerOnlyFields.has(key)) return;
  if (/^configMap(KeyRef|Ref)?$/.test(key) && typeof value["name"] === "string") {
    yield ["configmaps", value["name"], ""];
  } else if (/^(secret|.*[sS]ecretRef|secretKeyRef|azureFile)$/.test(key)) {
    yield* secretOf(value);
  }
  for (const [field, inner] of Object.entries(value)) yield* namesIn(inner, field);
}

function* secretOf(value: unknown): Generator<[string, string, string]> {
  if (!isObject(value)) return;
  const name = value["secretName"] ?? value["name"];
  const namespace = value["secretNamespace"] ?? value["namespace"];
  if (typeof name === "string" && name) yield ["secrets", name, typeof namespace === "string" ? namespace : ""];
}
