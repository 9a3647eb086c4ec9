// What the pods of a node refer to, and so what the node may read (upstream: the node authorizer's graph).
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/k8s/api/core-v1.ts";
import { isObject } from "../../shared/schema/json-values.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Store } from "../store/store.ts";

/** `secret ns/name`, `configmap ns/name`, `persistentvolumeclaim ns/name`, ... */
export type Reference = `${string} ${string}`;

/** Mirror pods grant nothing: a node makes them itself. */
const mirrorAnnotation = "kubernetes.io/config.mirror";

export function referencesOfNode(store: Store, node: string): Set<Reference> {
  const found = new Set<Reference>();
  for (const key of store.byIndexValue(pods.resource, node)) {
    // The store keeps what decoding of this very kind gave.
    const pod = store.get(key) as Pod | undefined;
    if (!pod) continue;
    const { namespace = "", name = "", annotations = {} } = pod.metadata;
    found.add(`pods ${namespace}/${name}`);
    if (mirrorAnnotation in annotations) continue;
    for (const reference of referencesOfPod(pod)) found.add(reference);
  }
  for (const claim of [...found]) {
    if (claim.startsWith("persistentvolumeclaims ")) addVolume(store, claim, found);
  }
  return found;
}

function* referencesOfPod({ metadata, spec, status }: Pod): Generator<Reference> {
  const { namespace = "", name = "" } = metadata;
  if (spec.serviceAccountName) yield `serviceaccounts ${namespace}/${spec.serviceAccountName}`;
  for (const [plural, named] of namesIn(spec)) yield `${plural} ${namespace}/${named}`;
  for (const volume of spec.volumes ?? []) {
    const claim = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${name}-${volume.name}` : undefined);
    if (claim) yield `persistentvolumeclaims ${namespace}/${claim}`;
  }
  const made = new Map((status?.resourceClaimStatuses ?? []).map((one) => [one.name, one.resourceClaimName]));
  for (const claim of spec.resourceClaims ?? []) {
    const claimName = claim.resourceClaimName ?? made.get(claim.name);
    if (claimName) yield `resourceclaims ${namespace}/${claimName}`;
  }
}

function addVolume(store: Store, reference: Reference, found: Set<Reference>): void {
  const [namespace = "", name = ""] = reference.slice(reference.indexOf(" ") + 1).split("/");
  // The store keeps what decoding of these very kinds gave.
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
  found.add(`persistentvolumes ${volumeName}`);
  for (const [plural, secret, own] of namesIn(volume.spec)) found.add(`${plural} ${own || namespace}/${secret}`);
}

/** Controllers, not nodes, use these. */
const notForNodes = new Set(["controllerPublishSecretRef", "controllerExpandSecretRef", "claimRef"]);

/** Every reference to a Secret or a ConfigMap, wherever it stands: plural, name, namespace if told. */
function* namesIn(value: unknown, key = ""): Generator<[plural: string, name: string, namespace: string]> {
  if (Array.isArray(value)) {
    for (const one of value) yield* key === "imagePullSecrets" ? secretOf(one) : namesIn(one);
    return;
  }
  if (!isObject(value) || notForNodes.has(key)) return;
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
