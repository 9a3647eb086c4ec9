// The kind MutatingAdmissionPolicyBinding of admissionregistration.k8s.io.
import type { MutatingAdmissionPolicyBinding } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { path } from "../../../shared/k8s/field.ts";
import { policyBinding, validateBinding } from "./bindings.ts";
import { paramRefErrors } from "./param-access.ts";
import { validateMutatingOperations } from "./rules.ts";
import { defineKind } from "../kind.ts";
import { mutatingAdmissionPolicies } from "./mutating-admission-policy.ts";

export const mutatingAdmissionPolicyBindings = defineKind<MutatingAdmissionPolicyBinding>(
  "admissionregistration.k8s.io",
  "v1",
  "mutatingadmissionpolicybindings",
  {
    validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
    ...policyBinding<MutatingAdmissionPolicyBinding>(),
    validate(binding, context) {
      const rules = binding.spec.matchResources?.resourceRules ?? [];
      const errors = [
        ...validateBinding(binding),
        ...validateMutatingOperations(rules, path("spec", "matchResources")),
      ];
      return errors.length > 0
        ? errors
        : paramRefErrors(binding, mutatingAdmissionPolicies, context, { isReversed: true });
    },
  },
);
