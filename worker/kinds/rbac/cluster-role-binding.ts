// The kind ClusterRoleBinding of rbac.authorization.k8s.io.
import type { ClusterRoleBinding } from "../../../shared/k8s/api/rbac-v1.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { defineKind } from "../kind.ts";
import { refuseBindingWriter } from "./escalation.ts";
import { bindingColumns, defaultBinding, validateBinding, validateBindingUpdate } from "./bindings.ts";

export const clusterRoleBindings = defineKind<ClusterRoleBinding>(
  "rbac.authorization.k8s.io",
  "v1",
  "clusterrolebindings",
  {
    validateName: pathSegmentName,
    allowCreateOnUpdate: true,
    defaults: defaultBinding,
    validate: (binding) => validateBinding(binding, ["ClusterRole"], { isNamespaced: false }),
    validateUpdate: (next, previous, check) => [
      ...check.objectMeta(),
      ...check.validate(),
      ...check.objectMetaUpdate(),
      ...validateBindingUpdate(next, previous),
    ],
    authorizeWrite: (next, previous, context) =>
      refuseBindingWriter({ group: "rbac.authorization.k8s.io", name: "clusterrolebindings" }, next, previous, context),
    columns: bindingColumns,
  },
);
