// Whether a write is what webhooks and admission policies ask for: their rules and selectors (upstream: webhook/predicates).
import type { RuleWithOperations } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** What guards the cluster is not guarded by itself: else a mistake in it could not be undone. */
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
    resources?.some((one) => matchesResource(one, kind.plural, subresource)) === true
  );
}

/** The namespace's labels decide, for a Namespace its own; what is in no namespace always matches. Throws 404 without it. */
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

/** The object as it will be or as it was. */
export function matchesObject(selector: LabelSelector | undefined, { object, oldObject }: AdmissionRequest): boolean {
  const parsed = labelSelectorAsSelector(selector ?? {});
  if (parsed.empty) return true;
  const matches = (one: KubeObject | undefined) => one !== undefined && parsed.matches(one.metadata.labels);
  return matches(object) || matches(oldObject);
}

function inScope(scope: string, { kind }: AdmissionRequest): boolean {
  if (scope === "*") return true;
  return (scope === "Namespaced") === kind.namespaced;
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((one) => one === "*" || one === value) === true;
}

/** `pods`, `pods/status`, `*`, `pods/*`, `*` + `/scale`. */
function matchesResource(rule: string, plural: string, subresource: string): boolean {
  const slash = rule.indexOf("/");
  const [resource, sub] = slash < 0 ? [rule, ""] : [rule.slice(0, slash), rule.slice(slash + 1)];
  return (resource === "*" || resource === plural) && (sub === "*" || sub === subresource);
}
