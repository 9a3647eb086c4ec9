// ValidatingAdmissionPolicy: rejects writes, or warns about them, by the expressions of policies.
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../shared/k8s/api/admissionregistration-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { validatingAdmissionPolicies } from "../kinds/admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "../kinds/admissionregistration/validating-admission-policy-binding.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { annotate } from "./common/annotations.ts";
import { type Hook, hooksFor } from "./policies/hooks.ts";
import { compiledValidations } from "./policies/compiled.ts";
import { type Finding, type AuditAnnotation, findingsOf } from "./policies/validations.ts";
import { namespaceOf } from "./policies/variables.ts";
import { namespaces } from "../kinds/core/namespace.ts";
import { inVersion } from "./policies/versions.ts";
import { newForbidden } from "./common/errors.ts";

type PolicyHook = Hook<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>;
type Invocation = Extract<PolicyHook, { kind: unknown }>;

interface PolicyDenial {
  readonly message: string;
  readonly reason: string;
}

/** The maximum length of an annotation. Longer ones are cut. */
const maxAnnotationLength = 10 * 1024;
const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

export const validatingAdmissionPolicy: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  validate(request) {
    const kinds = { policies: validatingAdmissionPolicies, bindings: validatingAdmissionPolicyBindings };
    const refusals: PolicyDenial[] = [];
    // All policies are evaluated before one rejects the write, so that all warnings are added.
    const noted = new Map<string, Set<string>>();
    let text: string | undefined;
    const subjectText = () => (text ??= textOf(request));
    for (const hook of hooksFor(kinds, request)) {
      if ("problem" in hook) refusals.push(...unusable(hook));
      else refusals.push(...invokePolicy(hook, request, subjectText, noted));
    }
    // Values of several bindings or parameters for one key are joined to one annotation.
    for (const [key, values] of noted) annotate(request, key, [...values].join(", "));
    const [first] = refusals;
    if (first) throw refusalOf(first, request);
  },
};

function unusable({ policy, binding, problem }: Extract<PolicyHook, { problem: unknown }>): PolicyDenial[] {
  if (policy.spec.failurePolicy === "Ignore") return [];
  return [{ message: denial(policy, binding, problem), reason: "" }];
}

/** Returns a text that identifies the write among the writes of a request. */
function textOf({
  operation,
  kind,
  namespace,
  name,
  subresource,
  object,
  oldObject,
  context,
}: AdmissionRequest): string {
  const stored = kind.namespaced && namespace ? context.get(namespaces, "", namespace) : undefined;
  return JSON.stringify([
    operation,
    kind.resource,
    namespace,
    name,
    subresource,
    object,
    idOf(oldObject),
    idOf(stored),
  ]);
}

function idOf(object: KubeObject | undefined): string {
  const { uid = "", resourceVersion = "" } = object?.metadata ?? {};
  return `${uid}/${resourceVersion}`;
}

function invokePolicy(
  { policy, binding, kind, params }: Invocation,
  request: AdmissionRequest,
  subjectText: () => string,
  noted: Map<string, Set<string>>,
): PolicyDenial[] {
  const namespace = namespaceOf(request);
  const object = request.object && inVersion(kind, request, request.object);
  const previous = request.oldObject && inVersion(kind, request, request.oldObject);
  const { evaluations, meter } = request.context;
  // Compiled policies are shared between requests, so compiling is not charged to the evaluation budget of this request.
  compiledValidations(policy, meter);
  const findings = params.flatMap((param) => {
    const evaluate = () => {
      const annotations: AuditAnnotation[] = [];
      const subject = { request, kind, object, previous, namespace, params: param };
      return { paramFindings: findingsOf(policy, subject, annotations), annotations };
    };
    const key = `${idOf(policy)} ${idOf(binding)} ${idOf(param)}`;
    const { paramFindings, annotations } = evaluations
      ? evaluations.once(subjectText(), key, meter, evaluate)
      : evaluate();
    for (const { key, value } of annotations) {
      const full = `${policy.metadata.name ?? ""}/${key}`;
      noted.set(full, (noted.get(full) ?? new Set()).add(value.slice(0, maxAnnotationLength)));
    }
    return paramFindings;
  });
  return findings.flatMap((finding) => actedUpon(finding, policy, binding, request));
}

function actedUpon(
  { message, reason, rejectsAlways, index }: Finding,
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
): PolicyDenial[] {
  const actions: readonly string[] = rejectsAlways ? ["Deny"] : (binding.spec.validationActions ?? []);
  if (actions.includes("Audit")) {
    const { policyName = "", validationActions = [] } = binding.spec;
    const names = { policy: policyName, binding: binding.metadata.name ?? "" };
    const failure = { message, ...names, expressionIndex: index, validationActions };
    annotate(request, "validation.policy.admission.k8s.io/validation_failure", JSON.stringify([failure]));
  }
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

function refusalOf({ message, reason: policyReason }: PolicyDenial, request: AdmissionRequest): ApiError {
  const reason = policyReason || "Invalid";
  const { message: text, details } = newForbidden(request, message);
  return new ApiError(codes[reason] ?? 422, reason, text, { ...details, causes: [{ message }] });
}
