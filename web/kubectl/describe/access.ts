// Descriptions of roles and bindings.
import { equalJson, type JsonObject } from "../../../shared/schema/json-values.ts";
import { listAt, nameOf, stringAt, stringsAt, textOf } from "../object.ts";
import type { Describer } from "./describer.ts";

export interface Rule {
  readonly resource: string;
  readonly group: string;
  readonly url: string;
  readonly name: string;
  readonly verbs: string[];
}

export const describeRole: Describer = (object, into) => {
  into.line(0, `Name:\t${nameOf(object)}`);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
  into.line(0, "PolicyRule:");
  into.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
  into.line(1, "---------\t-----------------\t--------------\t-----");
  for (const { resource, group, url, name, verbs } of mergeVerbs(listAt(object, "rules").flatMap(splitRule))) {
    into.line(1, `${groupResourceText(resource, group)}\t[${url}]\t[${name}]\t[${verbs.join(" ")}]`);
  }
};

export function groupResourceText(resource: string, group: string): string {
  const [plain = "", ...rest] = resource.split("/");
  return `${plain}${group ? `.${group}` : ""}${rest.length > 0 ? `/${rest.join("/")}` : ""}`;
}

/** Splits a rule into one rule for each resource, name and verb. */
export function splitRule(rule: JsonObject): Rule[] {
  const texts = (field: string) => (Array.isArray(rule[field]) ? (rule[field] as unknown[]).map(String) : []);
  const [verbs, names] = [texts("verbs"), texts("resourceNames")];
  const rules: Rule[] = [];
  for (const group of texts("apiGroups")) {
    for (const resource of texts("resources")) {
      for (const verb of verbs) {
        for (const name of names.length > 0 ? names : [""])
          rules.push({ resource, group, url: "", name, verbs: [verb] });
      }
    }
  }
  for (const url of texts("nonResourceURLs"))
    for (const verb of verbs) rules.push({ resource: "", group: "", url, name: "", verbs: [verb] });
  return rules;
}

/** Merges the verbs of rules of resources that are otherwise equal, and sorts the rules by their texts. Upstream merges no rules of URLs. */
export function mergeVerbs(rules: readonly Rule[]): Rule[] {
  const merged: Rule[] = [];
  for (const rule of rules) {
    const same = rule.url
      ? undefined
      : merged.find((candidate) => equalJson({ ...candidate, verbs: [] }, { ...rule, verbs: [] }));
    if (same) {
      if (rule.verbs[0] !== undefined) same.verbs.push(rule.verbs[0]);
    } else merged.push({ ...rule, verbs: [...rule.verbs] });
  }
  const order = ({ resource, group, url, name, verbs }: Rule) =>
    `Verbs:[${verbs.join(" ")}],APIGroups:[${group}],Resources:[${resource}],ResourceNames:[${name}],NonResourceURLs:[${url}],`;
  return merged.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
}

export const describeBinding: Describer = (object, into) => {
  into.line(0, `Name:\t${nameOf(object)}`);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
  into.line(0, "Role:");
  into.line(1, `Kind:\t${stringAt(object, "roleRef", "kind")}`);
  into.line(1, `Name:\t${stringAt(object, "roleRef", "name")}`);
  into.line(0, "Subjects:");
  into.line(1, "Kind\tName\tNamespace");
  into.line(1, "----\t----\t---------");
  for (const { kind, name, namespace } of listAt(object, "subjects"))
    into.line(1, `${textOf(kind)}\t${textOf(name)}\t${textOf(namespace)}`);
};
