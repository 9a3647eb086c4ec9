// The kind MutatingAdmissionPolicyBinding of admissionregistration.k8s.io.
import type { MutatingAdmissionPolicyBinding } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { path } from "../../shared/k8s/field.ts";
import {
  defaultMatch,
  paramRefText,
  validateMatch,
  validateParamRef,
  validatePolicyName,
} from "./admission-control/policies.ts";
import { validateMutatingOperations } from "./admission-control/rules.ts";
import { staticSuffixWarnings } from "./admission-control/webhooks.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";

export const mutatingAdmissionPolicyBindings = defineKind<MutatingAdmissionPolicyBinding>(
  "admissionregistration.k8s.io",
  "v1",
  "mutatingadmissionpolicybindings",
  {
    needsVersionOnUpdate: true,
    defaults: ({ spec }) => defaultMatch(spec.matchResources),
    raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
    validate({ spec }) {
      const at = path("spec");
      const match = spec.matchResources;
      return [
        ...validatePolicyName(spec.policyName, at.child("policyName")),
        ...validateParamRef(spec.paramRef, at.child("paramRef")),
        ...(match ? validateMatch(match, at.child("matchResources")) : []),
        ...validateMutatingOperations(match?.resourceRules ?? [], at.child("matchResources")),
      ];
    },
    warnings: staticSuffixWarnings,
    columns: [
      nameColumn,
      {
        name: "PolicyName",
        type: "string",
        description: "The policy that is bound.",
        cell: ({ spec }) => spec.policyName ?? "",
      },
      {
        name: "ParamRef",
        type: "string",
        description: "The policy's parameters.",
        cell: ({ spec }) => paramRefText(spec.paramRef),
      },
      ageColumn,
    ],
  },
);
