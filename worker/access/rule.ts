// Whether one rule of a role allows what is asked (upstream: RuleAllows).
import { trimmedEnd } from "../../shared/base/trim.ts";
import type { Access } from "../../shared/k8s/access.ts";
import type { PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";

export function allows(rule: PolicyRule, access: Access): boolean {
  if (!has(rule.verbs, access.verb)) return false;
  if (!access.isResource) return rule.nonResourceURLs?.some((url) => coversPath(url, access.path)) === true;
  const { resourceNames = [] } = rule;
  return (
    has(rule.apiGroups, access.group) &&
    hasResource(rule.resources, access) &&
    (resourceNames.length === 0 || resourceNames.includes(access.name))
  );
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((one) => one === "*" || one === value) === true;
}

function hasResource(list: readonly string[] | undefined, { plural, subresource }: Access): boolean {
  if (subresource === "") return has(list, plural);
  return has(list, `${plural}/${subresource}`) || list?.includes(`*/${subresource}`) === true;
}

function coversPath(url: string, path: string): boolean {
  return url === "*" || url === path || (url.endsWith("*") && path.startsWith(trimmedEnd(url, "*")));
}
