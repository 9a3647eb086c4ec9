// Whether someone's rules cover others: no one may grant more than they hold (upstream: Covers and CompactRules).
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { PolicyRule } from "../../../shared/k8s/api/rbac-v1.ts";

/** What the owner's rules do not cover, rule by rule in upstream's compact form; [] where all is covered. */
export function uncovered(owner: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing = wanted.flatMap(atoms).filter((atom) => !owner.some((rule) => covers(rule, atom)));
  return compacted(missing);
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}` */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  return `{${parts.flatMap(([name, list]) => (list?.length ? `${name}:${goList(list)}` : [])).join(", ")}}`;
}

/** As Go prints a list of strings with `%q`. */
export function goList(list: readonly string[]): string {
  return `[${list.map((one) => JSON.stringify(one)).join(" ")}]`;
}

/** Rules of one verb, one resource and at most one name each, or of one verb and one URL. */
function atoms({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  const found: PolicyRule[] = [];
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) found.push(atom);
        for (const name of resourceNames) found.push({ ...atom, resourceNames: [name] });
      }
  for (const url of nonResourceURLs) for (const verb of verbs) found.push({ nonResourceURLs: [url], verbs: [verb] });
  return found;
}

function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  const { resourceNames: names = [] } = rule;
  const wantedNames = atom.resourceNames ?? [];
  return (
    hasAll(rule.verbs, atom.verbs) &&
    hasAll(rule.apiGroups, atom.apiGroups) &&
    (atom.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (atom.nonResourceURLs ?? []).every((url) => rule.nonResourceURLs?.some((own) => coversUrl(own, url)) === true) &&
    (names.length === 0 || (wantedNames.length > 0 && wantedNames.every((name) => names.includes(name))))
  );
}

function hasAll(list: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  return list?.includes("*") === true || (wanted ?? []).every((one) => list?.includes(one) === true);
}

function coversResource(list: readonly string[], resource: string): boolean {
  if (list.includes("*") || list.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && list.includes(`*${resource.slice(slash)}`);
}

function coversUrl(own: string, url: string): boolean {
  return own === url || (own.endsWith("*") && url.startsWith(trimmedEnd(own, "*")));
}

/** Rules of one resource that differ in nothing but the verb become one. */
function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = simple.get(key);
    if (known) known.verbs.push(...rule.verbs);
    else simple.set(key, { ...rule, verbs: [...rule.verbs] });
  }
  return [...others, ...simple.values()];
}
