// The kind FlowSchema of flowcontrol.apiserver.k8s.io.
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
  FlowSchemaCondition,
} from "../../../shared/k8s/api/flowcontrol-v1.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  invalid,
  notSupported,
  path,
  required,
  type FieldPath,
  forbidden,
  duplicate,
} from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, dns1123Label } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { mandatoryFlowSchemas } from "./mandatory.ts";
import { internalForm } from "../common/go-struct.ts";
import { defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { statusAlone } from "../common/status-metadata.ts";

const verbs = ["get", "list", "create", "update", "delete", "deletecollection", "patch", "watch", "proxy"];
/** The field with the name by the kind of the subject. */
const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
const kinds = ["ServiceAccount", "User", "Group"] as const;

const specType = "io.k8s.api.flowcontrol.v1.FlowSchemaSpec";
const methods = ["ByNamespace", "ByUser"];
const precedence = { default: 1000, max: 10_000 };

export const flowSchemas = defineKind<FlowSchema>("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", {
  validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
  defaults({ spec }) {
    spec.matchingPrecedence ||= precedence.default;
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  validate: (schema) => [...validateSpec(schema), ...validateFlowStatus(schema)],
  ...statusAlone<FlowSchema>(validateFlowStatus),
  columns: [
    nameColumn,
    {
      name: "PriorityLevel",
      type: "string",
      description: "The priority level of the schema's requests.",
      cell: ({ spec }) => spec.priorityLevelConfiguration.name,
    },
    {
      name: "MatchingPrecedence",
      type: "string",
      description: "Which schema counts of those that match: the one with the least.",
      cell: ({ spec }) => spec.matchingPrecedence,
    },
    {
      name: "DistinguisherMethod",
      type: "string",
      description: "By what requests are told apart.",
      cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>",
    },
    ageColumn,
    {
      name: "MissingPL",
      type: "string",
      description: "Whether the priority level is not there.",
      cell: ({ status }) => status.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
    },
  ],
});

function validateSpec({ metadata: { name = "" }, spec }: FlowSchema): FieldError[] {
  const at = path("spec");
  const { matchingPrecedence: value, distinguisherMethod: method, priorityLevelConfiguration: level } = spec;
  const errors: FieldError[] = [];
  const refuse = (why: string) => errors.push(invalid(at.child("matchingPrecedence"), value, why));
  if (value <= 0) refuse("must be a positive value");
  if (value > precedence.max) refuse(`must not be greater than ${precedence.max}`);
  if (value === 1 && name !== "exempt") refuse("only the schema named 'exempt' may have matchingPrecedence 1");
  if (method && !methods.includes(method.type)) {
    // Upstream prints its internal struct here, whose fields have no JSON names.
    errors.push(notSupported(at.child("distinguisherMethod", "type"), { Type: method.type }, methods));
  }
  const where = at.child("priorityLevelConfiguration", "name");
  errors.push(
    ...(level.name
      ? each(dns1123Subdomain(level.name), where, level.name)
      : [required(where, "must reference a priority level")]),
  );
  (spec.rules ?? []).forEach((rule, index) => errors.push(...validateFlowRule(rule, at.child("rules").index(index))));
  const fixed = Object.hasOwn(mandatoryFlowSchemas, name) ? mandatoryFlowSchemas[name] : undefined;
  if (fixed && !semanticEqual(fixed, spec)) {
    errors.push(invalid(at, internalForm(specType, spec), `spec of '${name}' must equal the fixed value`));
  }
  return errors;
}

function validateFlowRule(rule: PolicyRulesWithSubjects, at: FieldPath): FieldError[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  const errors = (subjects ?? []).flatMap((subject, index) =>
    validateSubject(subject, at.child("subjects").index(index)),
  );
  if (!subjects?.length) errors.push(required(at.child("subjects"), "subjects must contain at least one value"));
  if (!resourceRules.length && !nonResourceRules.length) {
    errors.push(required(at, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  resourceRules.forEach((resourceRule, index) =>
    errors.push(...validateResource(resourceRule, at.child("resourceRules").index(index))),
  );
  nonResourceRules.forEach((nonResourceRule, index) =>
    errors.push(...validateNonResource(nonResourceRule, at.child("nonResourceRules").index(index))),
  );
  return errors;
}

function validateSubject(subject: Subject, at: FieldPath): FieldError[] {
  const kind = kinds.find((candidate) => candidate === subject.kind);
  if (!kind) return [notSupported(at.child("kind"), subject.kind, kinds)];
  const errors = validateNamed(subject, kind, at.child(subjectFields[kind]));
  for (const otherField of ["serviceAccount", "user", "group"] as const) {
    const otherKind = kinds.find((candidate) => subjectFields[candidate] === otherField);
    if (otherField === subjectFields[kind] || !subject[otherField]) continue;
    errors.push(
      forbidden(at.child(otherField), `${otherField} is forbidden when subject kind is not '${otherKind ?? ""}'`),
    );
  }
  return errors;
}

function validateNamed(subject: Subject, kind: (typeof kinds)[number], at: FieldPath): FieldError[] {
  const named = subject[subjectFields[kind]];
  if (!named) return [required(at, `${subjectFields[kind]} is required when subject kind is '${kind}'`)];
  const errors = named.name ? [] : [required(at.child("name"))];
  if (!("namespace" in named)) return errors;
  const { name, namespace } = named;
  if (name && name !== "*") errors.push(...each(dns1123Subdomain(name), at.child("name"), name));
  const where = at.child("namespace");
  if (namespace) return [...errors, ...each(dns1123Label(namespace), where, namespace)];
  return [...errors, required(where, "must specify namespace for service account")];
}

function validateResource(rule: ResourcePolicyRule, at: FieldPath): FieldError[] {
  const { apiGroups, resources, namespaces, clusterScope } = rule;
  const errors = validateVerbs(rule.verbs, at.child("verbs"));
  errors.push(...validateAll(apiGroups, at.child("apiGroups"), "api group"));
  errors.push(...validateAll(resources, at.child("resources"), "resource"));
  const where = at.child("namespaces");
  if (!namespaces?.length) {
    const why = "resource rules that are not cluster scoped must supply at least one namespace";
    return clusterScope ? errors : [...errors, required(where, why)];
  }
  if (namespaces.includes("*")) {
    if (namespaces.length > 1) {
      errors.push(invalid(where, namespaces, "if '*' is present, must not specify other namespaces"));
    }
    return errors;
  }
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  namespaces.forEach((name, index) => {
    for (const message of dns1123Label(name)) errors.push(invalid(where.index(index), name, `${intro}${message}`));
  });
  return errors;
}

function validateAll(values: readonly string[] | undefined, at: FieldPath, what: string): FieldError[] {
  if (!values?.length) return [required(at, `resource rules must supply at least one ${what}`)];
  const isMixed = values.length > 1 && values.includes("*");
  return isMixed ? [invalid(at, values, `if '*' is present, must not specify other ${what}s`)] : [];
}

function validateVerbs(listedVerbs: readonly string[] | undefined, at: FieldPath): FieldError[] {
  if (!listedVerbs?.length) return [required(at, "verbs must contain at least one value")];
  if (listedVerbs.includes("*")) {
    return listedVerbs.length > 1 ? [invalid(at, listedVerbs, "if '*' is present, must not specify other verbs")] : [];
  }
  return listedVerbs.every((verb) => verbs.includes(verb)) ? [] : [notSupported(at, listedVerbs, verbs)];
}

function validateNonResource({ verbs: listedVerbs, nonResourceURLs: urls }: NonResourcePolicyRule, at: FieldPath) {
  const errors = validateVerbs(listedVerbs, at.child("verbs"));
  const where = at.child("nonResourceURLs");
  if (!urls?.length) return [...errors, required(where, "nonResourceURLs must contain at least one value")];
  if (urls.includes("*")) {
    const why = "if '*' is present, must not specify other non-resource URLs";
    return urls.length > 1 ? [...errors, invalid(where, urls, why)] : errors;
  }
  urls.forEach((url, index) => {
    const problem = urlProblem(url);
    if (problem) errors.push(invalid(where.index(index), url, problem));
  });
  return errors;
}

function urlProblem(url: string): string | undefined {
  if (!url) return "must not be empty";
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  const isSuffix = wildcards === 1 && url.endsWith("/*");
  return wildcards === 0 || isSuffix ? undefined : "wildcard can only do suffix matching";
}

export function validateFlowStatus({ status }: { status: { conditions?: readonly FlowSchemaCondition[] } }) {
  const conditions = status.conditions ?? [];
  const repeats = repeatsOf(conditions, ({ type = "" }) => type);
  return conditions.flatMap(({ type = "" }, index) => {
    const at = path("status", "conditions").index(index).child("type");
    return [...(repeats[index] ? [duplicate(at, type)] : []), ...(type ? [] : [required(at)])];
  });
}
