// Checks the pods that a node creates: they must be mirror pods, owned by the node, without references to other objects.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { WriteContext } from "../../kinds/kind.ts";
import { nodes } from "../../kinds/core/node/node.ts";

const annotation = "kubernetes.io/config.mirror";

export function mirrorPodProblem(name: string, { metadata, spec }: Pod, context: WriteContext): string | undefined {
  const quoted = JSON.stringify(name);
  if (metadata.annotations?.[annotation] === undefined) {
    return `pod does not have "${annotation}" annotation, node ${quoted} can only create mirror pods`;
  }
  if (spec.nodeName !== name) return `node ${quoted} can only create pods with spec.nodeName set to itself`;
  const [owner, ...more] = metadata.ownerReferences ?? [];
  if (more.length > 0) return `node ${quoted} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== name) {
    return `node ${quoted} can only create pods with an owner reference set to itself`;
  }
  if (!owner.controller) return `node ${quoted} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `node ${quoted} must not set blockOwnerDeletion on an owner reference`;
  const node = context.get(nodes, "", name);
  if (!node) throw ApiError.notFound({ group: "", name: "node" }, name);
  if (owner.uid !== node.metadata.uid) {
    return `node ${name} UID mismatch: expected ${owner.uid} got ${node.metadata.uid ?? ""}`;
  }
  const referred = referredBy(spec);
  return referred ? `node ${quoted} can not create pods that reference ${referred}` : undefined;
}

/** Returns the first kind of object that a pod references. */
function referredBy(spec: Pod["spec"]): string | undefined {
  if (spec.serviceAccountName) return "serviceaccounts";
  const text = JSON.stringify(spec);
  if (/"(secret|secretRef|secretKeyRef|imagePullSecrets)":/.test(text)) return "secrets";
  if (/"(configMap|configMapRef|configMapKeyRef)":/.test(text)) return "configmaps";
  if ((spec.resourceClaims?.length ?? 0) > 0) return "resourceclaims";
  return spec.volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral)
    ? "persistentvolumeclaims"
    : undefined;
}
