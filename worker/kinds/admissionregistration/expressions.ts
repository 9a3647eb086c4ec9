// Compiles the expressions of policies and of webhooks' match conditions.
import { type Environment, type Program, compile } from "../../../shared/cel/program.ts";
import {
  type CelType,
  anyType,
  boolType,
  declaredText,
  dynType,
  nullType,
  sameType,
  stringType,
  listType,
} from "../../../shared/cel/types.ts";
import { type FieldError, type FieldPath, internalError, invalid } from "../../../shared/k8s/field.ts";
import {
  authorizerVariables,
  jsonPatchType,
  objectType,
  patchTypeOf,
  requestVariables,
  variablesType,
} from "./expression-types.ts";

/** The variables of an expression in addition to the object and the request. */
export interface Scope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  readonly hasPatchTypes?: boolean;
  /** The types of the policy's variables. Undefined if it has none. */
  readonly variables?: ReadonlyMap<string, CelType>;
}

export type Expression = { readonly source: string } & (
  | { readonly program: Program }
  | { readonly problem: string; readonly isInternal: boolean }
);

/** The result types of expressions. */
export const outcomes = {
  condition: [boolType],
  message: [stringType],
  annotation: [stringType, nullType],
  variable: [anyType, dynType],
  applyConfiguration: [objectType],
  jsonPatch: [listType(jsonPatchType)],
} as const;

export function compileExpression(source: string, scope: Scope, resultTypes: readonly CelType[]): Expression {
  const compiled = compile(source, environmentOf(scope));
  if ("problems" in compiled) return { source, problem: `compilation failed: ${compiled.problems}`, isInternal: false };
  if ("planProblem" in compiled) {
    return { source, problem: `program instantiation failed: ${compiled.planProblem}`, isInternal: true };
  }
  const { program } = compiled;
  if (resultTypes.some((type) => type === anyType || sameType(type, program.result))) return { source, program };
  const types = resultTypes.map(declaredText);
  const what = types.length === 1 ? (types[0] ?? "") : `one of [${types.join(" ")}]`;
  const problem = `must evaluate to ${what} but got ${declaredText(program.result)}`;
  return { source, problem, isInternal: false };
}

/** Compiles the variables of a policy in order, and adds their types to the scope. Each can use the ones before it. */
export function compileVariables(
  variables: readonly { readonly name: string; readonly expression: string }[],
  scope: Scope,
): { readonly expressions: ReadonlyMap<string, Expression>; readonly types: ReadonlyMap<string, CelType> } {
  const types = new Map<string, CelType>();
  const expressions = new Map<string, Expression>();
  for (const { name, expression } of variables) {
    if (!expression.trim()) continue;
    const compiled = compileExpression(expression, { ...scope, variables: types }, outcomes.variable);
    expressions.set(name, compiled);
    types.set(name, "program" in compiled ? variableType(compiled.program.result) : dynType);
  }
  return { expressions, types };
}

/** Returns upstream's error for an expression that does not compile. */
export function expressionErrors(
  expression: Expression,
  at: FieldPath,
  printedSource = expression.source,
): FieldError[] {
  if ("program" in expression) return [];
  return [
    expression.isInternal ? internalError(at, expression.problem) : invalid(at, printedSource, expression.problem),
  ];
}

/** Environments by their switches. An environment that depends on nothing else is created once. */
const environments = new Map<string, Environment>();

function environmentOf({ hasParams, hasAuthorizer, hasPatchTypes = false, variables }: Scope): Environment {
  const key = variables ? undefined : `${hasParams}/${hasAuthorizer}/${hasPatchTypes}`;
  const cached = key === undefined ? undefined : environments.get(key);
  if (cached) return cached;
  const environment: Environment = {
    variables: new Map([
      ["object", dynType],
      ["oldObject", dynType],
      ...requestVariables,
      ...(hasParams ? ([["params", dynType]] as const) : []),
      ...(hasAuthorizer ? authorizerVariables : []),
      ...(variables ? ([["variables", variablesType(variables)]] as const) : []),
    ]),
    ...(hasPatchTypes ? { struct: patchTypeOf, hasJsonPatch: true } : {}),
  };
  if (key !== undefined) environments.set(key, environment);
  return environment;
}

/** Returns the type of a variable for other expressions: plain types, and lists or maps of these. */
function variableType(type: CelType): CelType {
  if (type.kind === "struct" || type.kind === "opaque" || type.kind === "type") return dynType;
  return type.params.length ? { ...type, params: type.params.map(variableType) } : type;
}
