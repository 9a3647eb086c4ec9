// Sets the status of admission policies: the expressions that do not match the types of their resources.
import { validatingAdmissionPolicies } from "../../kinds/admissionregistration/validating-admission-policy.ts";
import { defineController, self } from "../../runtime/controller.ts";
import { typeWarnings } from "./type-check.ts";

export const validatingAdmissionPolicyStatus = defineController({
  name: "validatingadmissionpolicy-status-controller",
  component: "validatingadmissionpolicy-status-controller",
  watches: [self(validatingAdmissionPolicies)],
  reconcile({ namespace, name }, { client }) {
    const policy = client.get(validatingAdmissionPolicies, namespace, name);
    if (!policy) return undefined;
    const { generation = 0 } = policy.metadata;
    if (generation <= (policy.status.observedGeneration ?? 0)) return undefined;
    const expressionWarnings = typeWarnings(policy, client);
    client.updateStatus(validatingAdmissionPolicies, {
      ...policy,
      status: { ...policy.status, observedGeneration: generation, typeChecking: { expressionWarnings } },
    });
    return undefined;
  },
});
