// ValidatingAdmissionPolicy: refuses, or warns of, what the expressions of policies find wrong.
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../shared/k8s/api/admissionregistration-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { validatingAdmissionPolicies } from "../kinds/validating-admission-policies.ts";
import { validatingAdmissionPolicyBindings } from "../kinds/validating-admission-policy-bindings.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { type Hook, hooksFor } from "./policies/hooks.ts";
import { type Finding, findingsOf } from "./policies/validations.ts";
import { namespaceOf } from "./policies/variables.ts";
import { asVersion } from "./policies/versions.ts";
import { forbiddenBy } from "./refuse.ts";

type PolicyHook = Hook<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>;
type Invocation = Extract<PolicyHook, { kind: unknown }>;

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

export const validatingAdmissionPolicy: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  validate(request) {
    const kinds = { policies: validatingAdmissionPolicies, bindings: validatingAdmissionPolicyBindings };
    const refusals: Refusal[] = [];
    // All are heard before one decides: all their warnings are shown.
    for (const hook of hooksFor(kinds, request)) {
      if ("problem" in hook) refusals.push(...unusable(hook));
      else refusals.push(...invoked(hook, request));
    }
    const [first] = refusals;
    if (first) throw refusalOf(first, request);
  },
};

function unusable({ policy, binding, problem }: Extract<PolicyHook, { problem: unknown }>): Refusal[] {
  if (policy.spec.failurePolicy === "Ignore") return [];
  return [{ message: denial(policy, binding, problem), reason: "" }];
}

function invoked({ policy, binding, kind, params }: Invocation, request: AdmissionRequest): Refusal[] {
  const namespace = namespaceOf(request);
  const object = request.object && asVersion(request.kind, request.object, kind);
  const previous = request.previous && asVersion(request.kind, request.previous, kind);
  const findings = params.flatMap((one) => {
    return findingsOf(policy, { request, object, previous, namespace, params: one });
  });
  return findings.flatMap((finding) => actedUpon(finding, policy, binding, request));
}

function actedUpon(
  { message, reason, isAlways }: Finding,
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
): Refusal[] {
  const actions: readonly string[] = isAlways ? ["Deny"] : (binding.spec.validationActions ?? []);
  if (actions.includes("Warn")) {
    const whose = `'${policy.metadata.name ?? ""}' with binding '${binding.metadata.name ?? ""}'`;
    request.warn(`Validation failed for ValidatingAdmissionPolicy ${whose}: ${message}`);
  }
  return actions.includes("Deny") ? [{ message: denial(policy, binding, message), reason }] : [];
}

function denial(
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding | undefined,
  message: string,
): string {
  const whose = binding ? ` with binding '${binding.metadata.name ?? ""}'` : "";
  return `ValidatingAdmissionPolicy '${policy.metadata.name ?? ""}'${whose} denied request: ${message}`;
}

function refusalOf({ message, reason: given }: Refusal, request: AdmissionRequest): ApiError {
  const reason = given || "Invalid";
  const { message: text, details } = forbiddenBy(request, message);
  return new ApiError(codes[reason] ?? 422, reason, text, { ...details, causes: [{ message }] });
}
