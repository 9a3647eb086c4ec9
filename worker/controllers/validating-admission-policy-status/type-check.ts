// Type-checks the expressions of a policy against the types of its resources (upstream: validating/typechecking).
import { type Environment, compile } from "../../../shared/cel/program.ts";
import { authorizerType } from "../../../shared/cel/functions.ts";
import { type CelType, dynType } from "../../../shared/cel/types.ts";
import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicy,
  Variable,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { groupVersion } from "../../../shared/k8s/meta.ts";
import { requestVariables, variablesType } from "../../kinds/admissionregistration/expression-types.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { objectTypeOf } from "./object-type.ts";

/** The maximum number of types for one rule. */
const maxTypesToCheck = 10;

interface Context {
  readonly types: readonly { readonly kind: Kind; readonly type: CelType }[];
  /** Undefined if the policy has no parameters. */
  readonly params: CelType | undefined;
  readonly variables: readonly Variable[];
}

/** Returns the warnings by path of the expression. */
export function typeWarnings({ spec }: ValidatingAdmissionPolicy, client: Client): ExpressionWarning[] {
  const context: Context = {
    types: kindsOf(spec.matchConstraints?.resourceRules ?? [], client).flatMap((kind) => {
      const type = objectTypeOf(kind, client);
      return type ? [{ kind, type }] : [];
    }),
    params: paramsType(spec.paramKind, client),
    variables: spec.variables ?? [],
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => {
    const at = `spec.validations[${index}]`;
    return [
      ...warningOf(`${at}.expression`, expression, context),
      ...(messageExpression ? warningOf(`${at}.messageExpression`, messageExpression, context) : []),
    ];
  });
}

function warningOf(fieldRef: string, source: string, context: Context): ExpressionWarning[] {
  const texts = context.types.flatMap(({ kind, type }) => {
    const compiled = compile(source, environmentOf(type, context));
    if (!("problems" in compiled)) return [];
    return `${gvk(kind)}: ${compiled.problems}\n`;
  });
  return texts.length ? [{ fieldRef, warning: texts.join("\n") }] : [];
}

/** Prints a GroupVersionKind as Go does. */
function gvk({ group, version, kind }: Kind): string {
  return `${group}/${version}, Kind=${kind}`;
}

function environmentOf(object: CelType, { params, variables }: Context): Environment {
  const variableTypes = new Map<string, CelType>([
    ["object", object],
    ["oldObject", object],
    ...requestVariables,
    ...(params ? ([["params", params]] as const) : []),
    ["authorizer", authorizerType],
  ]);
  const types = new Map<string, CelType>();
  variableTypes.set("variables", variablesType(types));
  for (const { name, expression } of variables) {
    const compiled = compile(expression, { variables: variableTypes });
    types.set(name, "program" in compiled ? plain(compiled.program.result) : dynType);
  }
  return { variables: variableTypes };
}

/** Replaces object types of the policy's variables, since these are not tracked. */
function plain(type: CelType): CelType {
  if (type.kind === "struct" || type.kind === "opaque" || type.kind === "type") return dynType;
  return type.params.length ? { ...type, params: type.params.map(plain) } : type;
}

function paramsType(paramKind: ValidatingAdmissionPolicy["spec"]["paramKind"], client: Client): CelType | undefined {
  if (!paramKind) return undefined;
  const kind = client.kindOf(paramKind.apiVersion ?? "", paramKind.kind ?? "");
  return (kind && objectTypeOf(kind, client)) ?? dynType;
}

/** Returns the kinds of rules. Wildcards and subresources are skipped. */
function kindsOf(rules: readonly NamedRuleWithOperations[], client: Client): Kind[] {
  const matchedKinds = new Set<Kind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    if ([...apiGroups, ...apiVersions].some((pattern) => pattern.includes("*"))) continue;
    const plurals = resources.filter((resource) => !/[*/]/.test(resource)).sort();
    let count = 0;
    for (const group of [...apiGroups].sort()) {
      for (const version of [...apiVersions].sort()) {
        for (const plural of plurals) {
          const kind = client.kindAt(groupVersion(group, version), plural);
          if (!kind || count === maxTypesToCheck) continue;
          matchedKinds.add(kind);
          count++;
        }
      }
    }
    if (count === maxTypesToCheck) break;
  }
  return [...matchedKinds].sort((a, b) => (gvk(a) < gvk(b) ? -1 : 1));
}
