// The annotations of volumes and claims by which the parties to a binding communicate.
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";

/** On a claim: the binding is complete. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
/** On both: the controller made the binding, not a user. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** On a claim: the node that the scheduler selected, which starts provisioning. */
export const selectedNode = "volume.kubernetes.io/selected-node";
/** On a volume: its provisioner. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** On a claim: the provisioner that must create a volume for it. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";

/** On a volume: the size of its file system before an expansion. */
export const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** The provisioner of classes whose volumes are created manually. */
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
