// The kind ValidatingAdmissionPolicyBinding of admissionregistration.k8s.io.
import type { ValidatingAdmissionPolicyBinding } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { policyBinding, validateBinding } from "./bindings.ts";
import { paramRefErrors } from "./param-access.ts";
import { defineKind } from "../kind.ts";
import { validatingAdmissionPolicies } from "./validating-admission-policy.ts";

const actions = ["Audit", "Deny", "Warn"];
const denyAndWarn =
  "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";

export const validatingAdmissionPolicyBindings = defineKind<ValidatingAdmissionPolicyBinding>(
  "admissionregistration.k8s.io",
  "v1",
  "validatingadmissionpolicybindings",
  {
    validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
    ...policyBinding<ValidatingAdmissionPolicyBinding>(),
    validate(binding, context) {
      const errors = [
        ...validateBinding(binding),
        ...validateActions(binding.spec.validationActions ?? [], path("spec", "validationActions")),
      ];
      return errors.length > 0 ? errors : paramRefErrors(binding, validatingAdmissionPolicies, context);
    },
  },
);

function validateActions(requestedActions: readonly string[], at: FieldPath): FieldError[] {
  const errors = requestedActions.flatMap((action, index) => [
    ...(actions.includes(action) ? [] : [notSupported(at.index(index), action, actions)]),
    ...(requestedActions.indexOf(action) < index ? [duplicate(at.index(index), action)] : []),
  ]);
  if (requestedActions.includes("Deny") && requestedActions.includes("Warn"))
    errors.push(invalid(at, requestedActions, denyAndWarn));
  if (!requestedActions.length) errors.push(required(at, "at least one validation action is required"));
  return errors;
}
