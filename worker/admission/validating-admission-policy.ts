// ValidatingAdmissionPolicy: refuses, or warns of, what the expressions of policies find wrong.
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
import { type Finding, type Noted, findingsOf } from "./policies/validations.ts";
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

/** Longer annotations are cut. */
const longestNote = 10 * 1024;
const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

export const validatingAdmissionPolicy: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  validate(request) {
    const kinds = { policies: validatingAdmissionPolicies, bindings: validatingAdmissionPolicyBindings };
    const refusals: PolicyDenial[] = [];
    // All are evaluated before one decides: all their warnings are passed on.
    const noted = new Map<string, Set<string>>();
    let text: string | undefined;
    const subjectText = () => (text ??= textOf(request));
    for (const hook of hooksFor(kinds, request)) {
      if ("problem" in hook) refusals.push(...unusable(hook));
      else refusals.push(...invoked(hook, request, subjectText, noted));
    }
    // What several bindings or parameters give for one key is one annotation.
    for (const [key, values] of noted) annotate(request, key, [...values].join(", "));
    const [first] = refusals;
    if (first) throw refusalOf(first, request);
  },
};

function unusable({ policy, binding, problem }: Extract<PolicyHook, { problem: unknown }>): PolicyDenial[] {
  if (policy.spec.failurePolicy === "Ignore") return [];
  return [{ message: denial(policy, binding, problem), reason: "" }];
}

/** Returns what tells the write from others of the same request. */
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

function invoked(
  { policy, binding, kind, params }: Invocation,
  request: AdmissionRequest,
  subjectText: () => string,
  noted: Map<string, Set<string>>,
): PolicyDenial[] {
  const namespace = namespaceOf(request);
  const object = request.object && inVersion(kind, request, request.object);
  const previous = request.oldObject && inVersion(kind, request, request.oldObject);
  const { evaluations, meter } = request.context;
  const findings = params.flatMap((one) => {
    const evaluate = () => {
      const own: Noted[] = [];
      return { found: findingsOf(policy, { request, kind, object, previous, namespace, params: one }, own), own };
    };
    const key = `${idOf(policy)} ${idOf(binding)} ${idOf(one)}`;
    const { found, own } = evaluations ? evaluations.once(subjectText(), key, meter, evaluate) : evaluate();
    for (const { key, value } of own) {
      const full = `${policy.metadata.name ?? ""}/${key}`;
      noted.set(full, (noted.get(full) ?? new Set()).add(value.slice(0, longestNote)));
    }
    return found;
  });
  return findings.flatMap((finding) => actedUpon(finding, policy, binding, request));
}

function actedUpon(
  { message, reason, isAlways, index }: Finding,
  policy: ValidatingAdmissionPolicy,
  binding: ValidatingAdmissionPolicyBinding,
  request: AdmissionRequest,
): PolicyDenial[] {
  const actions: readonly string[] = isAlways ? ["Deny"] : (binding.spec.validationActions ?? []);
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

function refusalOf({ message, reason: given }: PolicyDenial, request: AdmissionRequest): ApiError {
  const reason = given || "Invalid";
  const { message: text, details } = newForbidden(request, message);
  return new ApiError(codes[reason] ?? 422, reason, text, { ...details, causes: [{ message }] });
}
