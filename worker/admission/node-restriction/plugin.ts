// NodeRestriction (off by default): a node may only change itself, the status of its pods, and objects that belong to it.
import { nodeOf } from "../../../shared/k8s/authorizer.ts";
import type { TokenRequest } from "../../../shared/k8s/api/authentication-v1.ts";
import type { Node, PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ResourceSlice } from "../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { audienceProblem } from "./audience.ts";
import { mirrorPodProblem } from "./mirror-pod.ts";
import { forbiddenLabels } from "./labels.ts";
import { newForbidden } from "../common/errors.ts";

const leaseNamespace = "kube-node-lease";

export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  mutate(request) {
    const node = nodeOf(request.userInfo);
    if (node === undefined) return;
    if (node === "")
      throw newForbidden(request, `could not determine node from user ${JSON.stringify(request.userInfo.name)}`);
    const problem = problems[request.kind.resource]?.(node, request);
    if (problem) throw newForbidden(request, problem);
  },
};

/** The checks of a node's writes by resource. Writes of other resources are not restricted. */
const problems: Readonly<Record<string, (node: string, request: AdmissionRequest) => string | undefined>> = {
  pods: podProblem,
  nodes: nodeProblem,
  persistentvolumeclaims: claimProblem,
  serviceaccounts: tokenProblem,
  "leases.coordination.k8s.io": (node, { namespace, name }) => {
    if (namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
    return name === node ? undefined : "can only access node lease with the same name as the requesting node";
  },
  "csinodes.storage.k8s.io": (node, { name }) =>
    name === node ? undefined : "can only access CSINode with the same name as the requesting node",
  "resourceslices.resource.k8s.io": (node, { operation, object, oldObject }) => {
    if (operation === "UPDATE") return undefined;
    // The resource determines the type.
    const slice = (object ?? oldObject) as ResourceSlice;
    const verb = operation === "CREATE" ? "create" : "delete";
    return slice.spec.nodeName === node
      ? undefined
      : `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
  },
};

function podProblem(node: string, request: AdmissionRequest): string | undefined {
  const { operation, subresource, object, oldObject } = request;
  const quoted = JSON.stringify(node);
  // The resource determines the type.
  const [next, old] = [object as Pod | undefined, oldObject as Pod | undefined];
  if (subresource === "eviction") {
    const evicted = request.context.get(pods, request.namespace, request.name);
    if (!evicted) throw ApiError.notFound({ group: "", name: "pod" }, request.name);
    return evicted.spec.nodeName === node
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`;
  }
  if (subresource === "status") return next && old ? statusProblem(quoted, node, next, old) : undefined;
  if (subresource !== "") {
    return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  }
  if (operation === "CREATE" && next) return mirrorPodProblem(node, next, request.context);
  if (operation === "DELETE") {
    return old?.spec.nodeName === node
      ? undefined
      : `node ${quoted} can only delete pods with spec.nodeName set to itself`;
  }
  return `unexpected operation "${operation}", node ${quoted} can only create and delete mirror pods`;
}

function statusProblem(quoted: string, node: string, next: Pod, old: Pod): string | undefined {
  if (old.spec.nodeName !== node) {
    return `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!semanticEqual(next.metadata.labels ?? {}, old.metadata.labels ?? {})) {
    return `node ${quoted} cannot update labels through pod status`;
  }
  return semanticEqual(next.status.resourceClaimStatuses, old.status.resourceClaimStatuses)
    ? undefined
    : `node ${quoted} cannot update resource claim statues`;
}

function nodeProblem(node: string, { name, operation, object, oldObject }: AdmissionRequest): string | undefined {
  const quoted = JSON.stringify(node);
  if (name !== node) return `node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`;
  // The resource determines the type.
  const [next, old] = [object as Node | undefined, oldObject as Node | undefined];
  if (!next) return undefined;
  const labels = forbiddenLabels(next.metadata.labels, old?.metadata.labels).join(", ");
  const { configSource } = next.spec;
  if (operation === "CREATE") {
    // Upstream's message always has the resource "pods" here.
    if (configSource) return `node ${quoted} is not allowed to create pods with a non-nil configSource`;
    return labels ? `node ${quoted} is not allowed to set the following labels: ${labels}` : undefined;
  }
  if (configSource && !semanticEqual(configSource, old?.spec.configSource)) {
    return `node ${quoted} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!semanticEqual(next.spec.taints, old?.spec.taints)) return `node ${quoted} is not allowed to modify taints`;
  if (!semanticEqual(next.metadata.ownerReferences, old?.metadata.ownerReferences)) {
    return `node ${quoted} is not allowed to modify ownerReferences`;
  }
  return labels ? `is not allowed to modify labels: ${labels}` : undefined;
}

function claimProblem(node: string, { subresource, object, oldObject }: AdmissionRequest): string | undefined {
  if (subresource !== "status") return "may only update PVC status";
  if (!object || !oldObject) return undefined;
  // The resource determines the type.
  const [next, old] = [object, oldObject].map((claim) => withoutNodeFields(claim as PersistentVolumeClaim));
  if (semanticEqual(next, old)) return undefined;
  return `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

/** Returns a claim without the fields that a node may change. */
function withoutNodeFields({ metadata, spec, status }: PersistentVolumeClaim): object {
  const { resourceVersion: _version, managedFields: _owners, ...meta } = metadata;
  const { capacity: _c, conditions: _d, allocatedResources: _a, allocatedResourceStatuses: _s, ...rest } = status;
  return { meta, spec, rest };
}

function tokenProblem(node: string, request: AdmissionRequest): string | undefined {
  const { operation, subresource, object, namespace, context } = request;
  if (operation !== "CREATE" || subresource !== "token" || !object) return undefined;
  // The body of a POST to `token`.
  const { boundObjectRef: bound, audiences } = (object as unknown as TokenRequest).spec;
  if (bound?.apiVersion !== "v1" || bound.kind !== "Pod" || !bound.name)
    return "node requested token not bound to a pod";
  if (!bound.uid) return "node requested token with a pod binding without a uid";
  const pod = context.get(pods, namespace, bound.name);
  if (!pod) throw ApiError.notFound({ group: "", name: "pod" }, bound.name);
  if (bound.uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (pod.spec.nodeName !== node) return "node requested token bound to a pod scheduled on a different node";
  return audienceProblem(audiences ?? [], pod, request);
}
