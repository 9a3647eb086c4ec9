// OwnerReferencesPermissionEnforcement (off by default): setting an owner reference requires permission to delete the object; blocking the
// owner's deletion requires permission to finalize the owner.
import type { OwnerReference } from "../../shared/k8s/api/meta-v1.ts";
import type { Attributes } from "../../shared/k8s/authorizer.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";

export const ownerReferencesPermissionEnforcement: AdmissionPlugin = {
  name: "OwnerReferencesPermissionEnforcement",
  validate(request) {
    const { kind, subresource, operation, object, oldObject, namespace, name } = request;
    if (!object || operation === "DELETE" || (kind.plural === "pods" && subresource === "status")) return;
    const [next, old] = [object.metadata.ownerReferences ?? [], oldObject?.metadata.ownerReferences ?? []];
    if (semanticEqual(next, old)) return;
    const { group, plural } = kind;
    const { allowed, reason } = decide(request, { verb: "delete", group, plural, subresource, namespace, name });
    if (operation !== "CREATE" && !allowed) {
      throw newForbidden(request, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
    }
    checkBlocking(request, newlyBlocking(next, old));
  },
};

function checkBlocking(request: AdmissionRequest, blocking: readonly OwnerReference[]): void {
  const finalize = { verb: "update", subresource: "finalizers", namespace: "" };
  if (blocking.length === 0 || decide(request, { ...finalize, group: "*", plural: "*", name: "*" }).allowed) return;
  for (const { apiVersion, kind, name } of blocking) {
    const owner = request.context.kindOf(apiVersion, kind);
    if (!owner) {
      const why = `because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`;
      throw newForbidden(request, `cannot set blockOwnerDeletion in this case ${why}`);
    }
    const namespace = owner.namespaced ? request.namespace : "";
    const { group, plural } = owner;
    const { allowed, reason } = decide(request, { ...finalize, group, plural, name, namespace });
    if (!allowed) {
      const why = "if an ownerReference refers to a resource you can't set finalizers on";
      throw newForbidden(request, `cannot set blockOwnerDeletion ${why}: ${reason}, <nil>`);
    }
  }
}

function newlyBlocking(next: readonly OwnerReference[], old: readonly OwnerReference[]): OwnerReference[] {
  const blocked = new Set(old.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
  return next.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !blocked.has(uid));
}

function decide({ context, userInfo }: AdmissionRequest, attributes: Omit<Attributes, "isResource" | "path">) {
  return context.authorizer.decide(userInfo, { ...attributes, isResource: true, path: "" });
}
