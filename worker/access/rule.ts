// Matches a rule of a role against a request (upstream: RuleAllows).
import { trimmedEnd } from "../../shared/base/trim.ts";
import type { Attributes } from "../../shared/k8s/authorizer.ts";
import type { PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";

export function allows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResource) return rule.nonResourceURLs?.some((url) => coversPath(url, attributes.path)) === true;
  const { resourceNames = [] } = rule;
  return (
    has(rule.apiGroups, attributes.group) &&
    hasResource(rule.resources, attributes) &&
    (resourceNames.length === 0 || resourceNames.includes(attributes.name))
  );
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((item) => item === "*" || item === value) === true;
}

function hasResource(list: readonly string[] | undefined, { plural, subresource }: Attributes): boolean {
  if (subresource === "") return has(list, plural);
  return has(list, `${plural}/${subresource}`) || list?.includes(`*/${subresource}`) === true;
}

function coversPath(url: string, path: string): boolean {
  return url === "*" || url === path || (url.endsWith("*") && path.startsWith(trimmedEnd(url, "*")));
}
