// Matches a write against the rules and selectors of webhooks and admission policies (upstream: webhook/predicates).
import type { RuleWithOperations } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/**
 * Reports whether a write changes an admission configuration. These are exempt from admission: otherwise a mistake in one could not be
 * corrected.
 */
export function isExemptConfiguration({ kind }: AdmissionRequest): boolean {
  return kind.group === "admissionregistration.k8s.io";
}

export function matchesRule(rule: RuleWithOperations, request: AdmissionRequest): boolean {
  const { operations, apiGroups, apiVersions, resources, scope = "*" } = rule;
  const { kind, operation, subresource } = request;
  return (
    inScope(scope, request) &&
    has(operations, operation) &&
    has(apiGroups, kind.group) &&
    has(apiVersions, kind.version) &&
    resources?.some((resource) => matchesResource(resource, kind.plural, subresource)) === true
  );
}

/**
 * Matches the labels of the object's namespace, or of the Namespace itself. Cluster-scoped objects always match. Throws 404 if the
 * namespace does not exist.
 */
export function matchesNamespace(selector: LabelSelector | undefined, request: AdmissionRequest): boolean {
  const parsed = labelSelectorAsSelector(selector ?? {});
  const isNamespace = request.kind.resource === namespaces.resource;
  const name = isNamespace ? request.name : request.namespace;
  if ((name === "" && !isNamespace) || parsed.empty) return true;
  if (isNamespace && request.subresource === "" && request.object)
    return parsed.matches(request.object.metadata.labels);
  const namespace = request.context.get(namespaces, "", name);
  if (!namespace) throw ApiError.notFound({ group: "", name: "namespace" }, name);
  return parsed.matches(namespace.metadata.labels);
}

/** Matches the labels of the new or the old object. */
export function matchesObject(selector: LabelSelector | undefined, { object, oldObject }: AdmissionRequest): boolean {
  const parsed = labelSelectorAsSelector(selector ?? {});
  if (parsed.empty) return true;
  const matches = (candidate: KubeObject | undefined) =>
    candidate !== undefined && parsed.matches(candidate.metadata.labels);
  return matches(object) || matches(oldObject);
}

function inScope(scope: string, { kind }: AdmissionRequest): boolean {
  if (scope === "*") return true;
  return (scope === "Namespaced") === kind.namespaced;
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((item) => item === "*" || item === value) === true;
}

/** Matches a resource rule: `pods`, `pods/status`, `*`, `pods/*`, `*` + `/scale`. */
function matchesResource(rule: string, plural: string, subresource: string): boolean {
  const slash = rule.indexOf("/");
  const [resource, sub] = slash < 0 ? [rule, ""] : [rule.slice(0, slash), rule.slice(slash + 1)];
  return (resource === "*" || resource === plural) && (sub === "*" || sub === subresource);
}
