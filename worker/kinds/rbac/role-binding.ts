// The kind RoleBinding of rbac.authorization.k8s.io.
import type { RoleBinding } from "../../../shared/k8s/api/rbac-v1.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { defineKind } from "../kind.ts";
import { refuseBindingWriter } from "./escalation.ts";
import { bindingColumns, defaultBinding, validateBinding, validateBindingUpdate } from "./bindings.ts";

export const roleBindings = defineKind<RoleBinding>("rbac.authorization.k8s.io", "v1", "rolebindings", {
  validateName: pathSegmentName,
  allowCreateOnUpdate: true,
  defaults: defaultBinding,
  validate: (binding) => validateBinding(binding, ["Role", "ClusterRole"], { isNamespaced: true }),
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...validateBindingUpdate(next, previous),
  ],
  authorizeWrite: (next, previous, context) =>
    refuseBindingWriter({ group: "rbac.authorization.k8s.io", name: "rolebindings" }, next, previous, context),
  columns: bindingColumns,
});
