// NamespaceLifecycle: rejects creation in a namespace that is absent or terminating, and the deletion of three namespaces.
import { ApiError } from "../../shared/k8s/status.ts";
import { namespaces } from "../kinds/core/namespace.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";

const immortal = ["default", "kube-public", "kube-system"];
/** Reviews in a namespace, which create nothing in it. */
const accessReviews = ["localsubjectaccessreviews.authorization.k8s.io"];

export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  mutate(request) {
    if (request.operation === "CREATE" || request.operation === "UPDATE") requireNamespace(request);
  },
  validate({ operation, kind, name }) {
    if (operation !== "DELETE" || kind.resource !== namespaces.resource || !immortal.includes(name)) return;
    throw ApiError.forbidden(kind.groupResource, name, "this namespace may not be deleted");
  },
};

function requireNamespace(request: AdmissionRequest): void {
  const { operation, kind, namespace: name } = request;
  if (!name || kind.resource === namespaces.resource || accessReviews.includes(kind.resource)) return;
  const namespace = request.context.get(namespaces, "", name);
  if (!namespace) throw ApiError.notFound(namespaces.groupResource, name);
  if (operation === "CREATE" && namespace.status.phase === "Terminating") throw terminating(request);
}

function terminating(request: AdmissionRequest): ApiError {
  const { namespace } = request;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = newForbidden(request, why);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new ApiError(refusal.code, refusal.reason, refusal.message, { ...refusal.details, causes: [cause] });
}
