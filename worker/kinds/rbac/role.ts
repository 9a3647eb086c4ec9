// The kind Role of rbac.authorization.k8s.io.
import type { Role } from "../../../shared/k8s/api/rbac-v1.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { createdAtColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { refuseRoleWriter } from "./escalation.ts";
import { validateRules } from "./rules.ts";

export const roles = defineKind<Role>("rbac.authorization.k8s.io", "v1", "roles", {
  validateUpdate: (_next, _previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
  ],
  validateName: pathSegmentName,
  allowCreateOnUpdate: true,
  validate: ({ rules }) => validateRules(rules, { isNamespaced: true }),
  authorizeWrite: (next, previous, context) => refuseRoleWriter("roles", next, previous, context),
  columns: [nameColumn, createdAtColumn],
});
