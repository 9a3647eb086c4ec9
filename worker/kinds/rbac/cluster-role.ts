// The kind ClusterRole of rbac.authorization.k8s.io.
import type { AggregationRule, ClusterRole } from "../../../shared/k8s/api/rbac-v1.ts";
import { type FieldError, invalid, path, required } from "../../../shared/k8s/field.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { createdAtColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { validateLabelSelectorValues } from "../common/checks.ts";
import { refuseRoleWriter } from "./escalation.ts";
import { validateRules } from "./rules.ts";

export const clusterRoles = defineKind<ClusterRole>("rbac.authorization.k8s.io", "v1", "clusterroles", {
  validateUpdate: (_next, _previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
  ],
  validateName: pathSegmentName,
  allowCreateOnUpdate: true,
  validate: ({ rules, aggregationRule }) => [
    ...validateRules(rules, { isNamespaced: false }),
    ...validateAggregation(aggregationRule),
  ],
  authorizeWrite: (next, previous, context) => refuseRoleWriter("clusterroles", next, previous, context),
  columns: [nameColumn, createdAtColumn],
});

function validateAggregation(rule: AggregationRule | undefined): FieldError[] {
  if (!rule) return [];
  const at = path("aggregationRule", "clusterRoleSelectors");
  const selectors = rule.clusterRoleSelectors ?? [];
  if (!selectors.length) {
    return [required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  return selectors.flatMap((selector, index) => {
    const errors = validateLabelSelectorValues(selector, at.index(index));
    // Upstream prints the selector that could not be created.
    return errors.length ? [...errors, invalid(at.index(index), null, "invalid label selector.")] : [];
  });
}
