// The kind ValidatingAdmissionPolicyBinding of admissionregistration.k8s.io.
import type { ValidatingAdmissionPolicyBinding } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  path,
  required,
} from "../../shared/k8s/field.ts";
import {
  defaultMatch,
  paramRefText,
  validateMatch,
  validateParamRef,
  validatePolicyName,
} from "./admission-control/policies.ts";
import { staticSuffixWarnings } from "./admission-control/webhooks.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";

const actions = ["Audit", "Deny", "Warn"];
const denyAndWarn =
  "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";

export const validatingAdmissionPolicyBindings = defineKind<ValidatingAdmissionPolicyBinding>(
  "admissionregistration.k8s.io",
  "v1",
  "validatingadmissionpolicybindings",
  {
    needsVersionOnUpdate: true,
    defaults: ({ spec }) => defaultMatch(spec.matchResources),
    raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
    validate({ spec }) {
      const at = path("spec");
      return [
        ...validatePolicyName(spec.policyName, at.child("policyName")),
        ...validateParamRef(spec.paramRef, at.child("paramRef")),
        ...(spec.matchResources ? validateMatch(spec.matchResources, at.child("matchResources")) : []),
        ...validateActions(spec.validationActions ?? [], at.child("validationActions")),
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

function validateActions(given: readonly string[], at: FieldPath): FieldError[] {
  const errors = given.flatMap((action, index) => [
    ...(actions.includes(action) ? [] : [notSupported(at.index(index), action, actions)]),
    ...(given.indexOf(action) < index ? [duplicate(at.index(index), action)] : []),
  ]);
  if (given.includes("Deny") && given.includes("Warn")) errors.push(invalid(at, given, denyAndWarn));
  if (!given.length) errors.push(required(at, "at least one validation action is required"));
  return errors;
}
