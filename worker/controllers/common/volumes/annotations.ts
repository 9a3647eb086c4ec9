// What the parties to a binding tell each other in annotations of volumes and claims.
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";

/** On a claim: both sides have been bound once. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
/** On either: the binding was made by the controller, not by a user. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** On a claim: the scheduler's choice, which lets the provisioning begin. */
export const selectedNode = "volume.kubernetes.io/selected-node";
/** On a volume: who made it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** On a claim: who is to make a volume for it. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";

/** On a volume: how large its file system was before the volume grew. */
export const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** The provisioner of classes whose volumes are all made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";

export function withAnnotations(metadata: ObjectMeta, added: Readonly<Record<string, string>>): ObjectMeta {
  return { ...metadata, annotations: { ...metadata.annotations, ...added } };
}

export function withoutAnnotation(metadata: ObjectMeta, name: string): ObjectMeta {
  const { [name]: _, ...annotations } = metadata.annotations ?? {};
  return { ...metadata, annotations };
}

export function hasAnnotation(metadata: ObjectMeta, name: string): boolean {
  return metadata.annotations?.[name] !== undefined;
}
