// Sets the condition KubernetesAPIApprovalPolicyConformant of definitions in the groups of the
// Kubernetes community, `*.k8s.io` and `*.kubernetes.io` (upstream: apiapproval).
import type { CustomResourceDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import {
  approvalAnnotation,
  approvalOf,
  isProtectedGroup,
} from "../../kinds/apiextensions/custom-resource-definition/approval.ts";
import {
  conditionOf,
  isSameCondition,
  type NewCondition,
  setCondition,
} from "../../kinds/apiextensions/custom-resource-definition/conditions.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { defineController, self } from "../../runtime/controller.ts";

const reasons = {
  invalid: "InvalidAnnotation",
  missing: "MissingAnnotation",
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
};

export const crdApiApprovalController = defineController({
  name: "crd-api-approval-controller",
  user: "system:apiserver",
  component: "crd-api-approval-controller",
  watches: [
    self(customResourceDefinitions, (next, previous) => {
      const [approval, previousApproval] = [next, previous].map(
        (definition) => definition?.metadata.annotations?.[approvalAnnotation],
      );
      return next !== undefined && isProtectedGroup(next.spec.group) && (!previous || approval !== previousApproval);
    }),
  ],
  reconcile({ name }, { client, nowMs }) {
    const definition = client.get(customResourceDefinitions, "", name);
    if (!definition || !isProtectedGroup(definition.spec.group)) return undefined;
    const condition = conformanceCondition(definition);
    if (isSameCondition(condition, conditionOf(definition, condition.type))) return undefined;
    const conditions = setCondition(definition.status.conditions, condition, rfc3339(nowMs));
    client.updateStatus(customResourceDefinitions, { ...definition, status: { ...definition.status, conditions } });
    return undefined;
  },
});

function conformanceCondition(definition: CustomResourceDefinition): NewCondition {
  const { state, reason: message } = approvalOf(definition);
  const status = state === "approved" ? "True" : "False";
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason: reasons[state], message };
}
