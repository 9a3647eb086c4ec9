// Matches policies, bindings and webhooks against a write (upstream: policy/matching and webhook/generic).
import type { MatchResources, NamedRuleWithOperations } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { matchesNamespace, matchesObject, matchesRule } from "../common/predicates.ts";

/** Returns the version that a matching rule names, which may differ from the request's. Undefined if no rule matches. Throws `ApiError`. */
export function matchedKind(match: MatchResources, request: AdmissionRequest): Kind | undefined {
  const inNamespace = attempt(() => matchesNamespace(match.namespaceSelector, request));
  if (inNamespace === false || !matchesObject(match.objectSelector, request)) return undefined;
  if (ruleKind(match.excludeResourceRules ?? [], match, request)) return undefined;
  const rules = match.resourceRules ?? [];
  const kind = rules.length ? ruleKind(rules, match, request) : (request.requestKind ?? request.kind);
  // A missing namespace is only an error if the policy matches otherwise.
  if (kind && inNamespace instanceof ApiError) throw inNamespace;
  return kind;
}

/** Resources that are excluded, since intercepting reviews could break the cluster. */
const reviews = new Set([
  ...["selfsubjectreviews.authentication.k8s.io", "tokenreviews.authentication.k8s.io"],
  ...["localsubjectaccessreviews.authorization.k8s.io", "selfsubjectaccessreviews.authorization.k8s.io"],
  ...["selfsubjectrulesreviews.authorization.k8s.io", "subjectaccessreviews.authorization.k8s.io"],
]);

export function isBeyondPolicies({ kind }: AdmissionRequest): boolean {
  return kind.group === "admissionregistration.k8s.io" || reviews.has(kind.resource);
}

function attempt(body: () => boolean): ApiError | boolean {
  try {
    return body();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function ruleKind(
  rules: readonly NamedRuleWithOperations[],
  { matchPolicy }: MatchResources,
  request: AdmissionRequest,
): Kind | undefined {
  const requestKind = request.requestKind ?? request.kind;
  if (rules.some((rule) => matches(rule, { ...request, kind: requestKind }))) return requestKind;
  if (!rules.length || matchPolicy !== "Equivalent") return undefined;
  const otherVersions = request.context.versionsOf(requestKind).filter((kind) => kind !== requestKind);
  for (const rule of rules) {
    const matchingKind = otherVersions.find((kind) => matches(rule, { ...request, kind }));
    if (matchingKind) return matchingKind;
  }
  return undefined;
}

function matches(rule: NamedRuleWithOperations, request: AdmissionRequest): boolean {
  const names = rule.resourceNames ?? [];
  return matchesRule(rule, request) && (names.length === 0 || names.includes(request.name));
}
