// Tells whether a definition in a group of the Kubernetes community was approved (upstream: apiapproval).
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
      const [is, was] = [next, previous].map((one) => one?.metadata.annotations?.[approvalAnnotation]);
      return next !== undefined && isProtectedGroup(next.spec.group) && (!previous || is !== was);
    }),
  ],
  reconcile({ name }, { client, nowMs }) {
    const found = client.get(customResourceDefinitions, "", name);
    if (!found || !isProtectedGroup(found.spec.group)) return undefined;
    const condition = conformance(found);
    if (isSameCondition(condition, conditionOf(found, condition.type))) return undefined;
    const conditions = setCondition(found.status.conditions, condition, rfc3339(nowMs));
    client.updateStatus(customResourceDefinitions, { ...found, status: { ...found.status, conditions } });
    return undefined;
  },
});

function conformance(found: CustomResourceDefinition): NewCondition {
  const { state, reason: message } = approvalOf(found);
  const status = state === "approved" ? "True" : "False";
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason: reasons[state], message };
}
