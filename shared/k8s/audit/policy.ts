// The audit policy of an API server: reads its file, and finds the rule of a request (upstream: apiserver/pkg/audit/policy).
import {
  checkConfig,
  fieldsOf,
  listOf,
  parseConfig,
  type StructType,
  textsOf,
  unregistered,
} from "../../schema/yaml/config-file.ts";
import type { UserInfo } from "../authorizer.ts";
import { aggregateText, type FieldError, type FieldPath, invalid, notSupported, path, required } from "../field.ts";
import { dns1123Subdomain } from "../names.ts";

const levels = ["None", "Metadata", "Request", "RequestResponse"] as const;
const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type AuditLevel = (typeof levels)[number];
export type AuditStage = (typeof stages)[number];

/** The maximum characters of a policy and the maximum of its rules. */
const mostCharacters = 100_000;
const mostRules = 500;

const textField = { goType: "string" };
const texts = { goType: "[]string" };
const flag = { goType: "bool" };
const omittedStages = { goType: "[]v1.Stage" };
const groupResourcesType: StructType = {
  name: "GroupResources",
  fields: { group: textField, resources: texts, resourceNames: texts },
};
const ruleType: StructType = {
  name: "PolicyRule",
  fields: {
    level: { goType: "v1.Level" },
    users: texts,
    userGroups: texts,
    verbs: texts,
    resources: { goType: "[]v1.GroupResources", struct: groupResourcesType },
    namespaces: texts,
    nonResourceURLs: texts,
    omitStages: omittedStages,
    omitManagedFields: flag,
  },
};
const policyType: StructType = {
  name: "Policy",
  fields: {
    rules: { goType: "[]v1.PolicyRule", struct: ruleType },
    omitStages: omittedStages,
    omitManagedFields: flag,
  },
};

const internalVersion = "audit.k8s.io/__internal";

interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface Rule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly string[];
  readonly omitManagedFields: boolean;
}

/** The form in which a request is audited. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: readonly string[];
  readonly omitManagedFields: boolean;
}

export interface AuditPolicy extends Pick<Rule, "omitStages"> {
  readonly rules: readonly Rule[];
}

/** The attributes of a request that rules select by. */
export interface AuditedRequest {
  readonly user: UserInfo;
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns the policy in a file, or the error with which the API server ends. */
export function readAuditPolicy(text: string, file: string): AuditPolicy | string {
  const result = policyOf(text);
  return typeof result === "string" ? `${result}: from file ${file}` : result;
}

function policyOf(text: string): AuditPolicy | string {
  if (text.length > mostCharacters) return `failed decoding: the policy is longer than ${mostCharacters} characters`;
  const fields = parseConfig(text);
  if (typeof fields === "string") return `failed decoding: ${fields}`;
  // Upstream decodes into a Policy of its internal version, whose kind and version a file without them has.
  const kind = fields["kind"] || "Policy";
  const apiVersion = fields["apiVersion"] || internalVersion;
  if (apiVersion === internalVersion && kind === "Policy")
    return `unknown group version field ${internalVersion}, Kind=Policy in policy`;
  if (kind !== "Policy" || apiVersion !== "audit.k8s.io/v1")
    return `failed decoding: ${unregistered({ apiVersion, kind }, "pkg/audit/scheme.go:30")}`;
  const file = checkConfig(fields, policyType);
  if (typeof file === "string") return `failed decoding: ${file}`;
  const policy = file.fields;
  const rules = listOf(policy["rules"]);
  if (rules.length > mostRules) return `failed decoding: the policy has more than ${mostRules} rules`;
  const omitStages = textsOf(policy["omitStages"]);
  const omitManagedFields = policy["omitManagedFields"] === true;
  const read = rules.map((rule) => ruleOf(fieldsOf(rule), omitStages, omitManagedFields));
  const errors = [
    ...stageProblems(omitStages, path("omitStages")),
    ...read.flatMap((rule, at) => problemsOf(rule, textsOf(fieldsOf(rules[at])["omitStages"]), at)),
  ];
  if (errors.length > 0) return aggregateText(errors);
  return read.length === 0 ? "loaded illegal policy with 0 rules" : { rules: read, omitStages };
}

function ruleOf(
  rule: Readonly<Record<string, unknown>>,
  omitStages: readonly string[],
  omitManagedFields: boolean,
): Rule {
  const override = rule["omitManagedFields"];
  return {
    // `problemsOf` checks the level.
    level: (typeof rule["level"] === "string" ? rule["level"] : "") as AuditLevel,
    users: textsOf(rule["users"]),
    userGroups: textsOf(rule["userGroups"]),
    verbs: textsOf(rule["verbs"]),
    resources: listOf(rule["resources"]).map((item) => {
      const { group, resources, resourceNames } = fieldsOf(item);
      return {
        group: typeof group === "string" ? group : "",
        resources: textsOf(resources),
        resourceNames: textsOf(resourceNames),
      };
    }),
    namespaces: textsOf(rule["namespaces"]),
    nonResourceURLs: textsOf(rule["nonResourceURLs"]),
    omitStages: [...new Set([...omitStages, ...textsOf(rule["omitStages"])])],
    omitManagedFields: typeof override === "boolean" ? override : omitManagedFields,
  };
}

function problemsOf(rule: Rule, omitStages: readonly string[], index: number): FieldError[] {
  const at = path("rules").index(index);
  return [
    ...levelProblems(rule.level, at.child("level")),
    ...rule.nonResourceURLs.flatMap((url, place) => urlProblems(url, at.child("nonResourceURLs").index(place))),
    ...rule.resources.flatMap((resources) => resourceProblems(resources, at.child("resources"))),
    ...stageProblems(omitStages, at.child("omitStages")),
    ...(rule.nonResourceURLs.length > 0 && rule.resources.length + rule.namespaces.length > 0
      ? [
          invalid(
            at.child("nonResourceURLs"),
            rule.nonResourceURLs,
            "rules cannot apply to both regular resources and non-resource URLs",
          ),
        ]
      : []),
  ];
}

function stageProblems(omitStages: readonly string[], at: FieldPath): FieldError[] {
  return omitStages.flatMap((stage, index) =>
    (stages as readonly string[]).includes(stage)
      ? []
      : [invalid(at.index(index), stage, `allowed stages are ${stages.join(",")}`)],
  );
}

function levelProblems(level: string, at: FieldPath): FieldError[] {
  if (level === "") return [required(at)];
  return (levels as readonly string[]).includes(level) ? [] : [notSupported(at, level, levels)];
}

function urlProblems(url: string, at: FieldPath): FieldError[] {
  if (url === "*") return [];
  return [
    ...(url.startsWith("/") ? [] : [invalid(at, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes("*")
      ? [invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ];
}

function resourceProblems({ group, resources, resourceNames }: GroupResources, at: FieldPath): FieldError[] {
  const name = group === "" || group === "*" ? [] : dns1123Subdomain(group);
  return [
    ...(name.length > 0 ? [invalid(at.child("group"), group, name.join(","))] : []),
    ...(resourceNames.length > 0 && resources.length === 0
      ? [invalid(at.child("resourceNames"), resourceNames, "using resourceNames requires at least one resource")]
      : []),
  ];
}

/** Returns how a request is audited: by the first rule that matches it. Without one it is not audited. */
export function auditDecision(policy: AuditPolicy, request: AuditedRequest): AuditDecision {
  const rule = policy.rules.find((candidate) => matches(candidate, request));
  return rule ?? { level: "None", omitStages: policy.omitStages, omitManagedFields: false };
}

/** The work of comparing a request with one rule. */
export const auditRuleWork = 0.2;

function matches(rule: Rule, request: AuditedRequest): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (users.length > 0 && !users.includes(request.user.name)) return false;
  if (userGroups.length > 0 && !request.user.groups.some((group) => userGroups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(request.verb)) return false;
  if (namespaces.length > 0 || resources.length > 0) return matchesResource(rule, request);
  if (nonResourceURLs.length === 0) return true;
  return (
    !request.isResource &&
    nonResourceURLs.some(
      (url) =>
        url === "*" ||
        url === request.path ||
        (url.endsWith("*") && request.path.startsWith(url.slice(0, url.indexOf("*")))),
    )
  );
}

function matchesResource({ namespaces, resources }: Rule, request: AuditedRequest): boolean {
  if (!request.isResource) return false;
  if (namespaces.length > 0 && !namespaces.includes(request.namespace)) return false;
  if (resources.length === 0) return true;
  const { plural, subresource, group, name } = request;
  const combined = subresource === "" ? plural : `${plural}/${subresource}`;
  return resources.some(
    (candidate) =>
      (candidate.group === group || candidate.group === "*") &&
      (candidate.resources.length === 0 ||
        ((candidate.resourceNames.length === 0 || candidate.resourceNames.includes(name)) &&
          candidate.resources.some(
            (resource) =>
              resource === combined ||
              resource === "*" ||
              (subresource !== "" && resource === `*/${subresource}`) ||
              resource === `${plural}/*`,
          ))),
  );
}
