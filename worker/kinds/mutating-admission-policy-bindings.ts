// The kind MutatingAdmissionPolicyBinding of admissionregistration.k8s.io.
import type { MutatingAdmissionPolicyBinding } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { path } from "../../shared/k8s/field.ts";
import { policyBinding, validateBinding } from "./admission-control/bindings.ts";
import { validateMutatingOperations } from "./admission-control/rules.ts";
import { defineKind } from "./kind.ts";

export const mutatingAdmissionPolicyBindings = defineKind<MutatingAdmissionPolicyBinding>(
  "admissionregistration.k8s.io",
  "v1",
  "mutatingadmissionpolicybindings",
  {
    ...policyBinding<MutatingAdmissionPolicyBinding>(),
    validate: (binding) => [
      ...validateBinding(binding),
      ...validateMutatingOperations(binding.spec.matchResources?.resourceRules ?? [], path("spec", "matchResources")),
    ],
  },
);
