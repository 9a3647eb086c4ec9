// Compiles the expressions of policies. Results are cached up to a bound.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import type {
  MatchCondition,
  MutatingAdmissionPolicy,
  Mutation,
  ValidatingAdmissionPolicy,
  Variable,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { AnotherTurn } from "../../../shared/k8s/outbound-call.ts";
import {
  type Expression,
  type Scope,
  compileExpression,
  compileVariables,
  outcomes,
} from "../../kinds/admissionregistration/expressions.ts";

interface CommonExpressions {
  readonly variables: ReadonlyMap<string, Expression>;
  readonly conditions: readonly Condition[];
}

export interface Condition {
  readonly name: string;
  readonly expression: Expression;
}

export interface CompiledValidations extends CommonExpressions {
  readonly validations: readonly Expression[];
  /** Undefined for a validation without a message expression. */
  readonly messages: readonly (Expression | undefined)[];
  readonly annotations: readonly { readonly key: string; readonly expression: Expression }[];
}

export interface CompiledMutations extends CommonExpressions {
  readonly mutations: readonly { readonly type: Mutation["patchType"]; readonly expression: Expression }[];
}

export function compiledValidations(policy: ValidatingAdmissionPolicy, meter: WorkMeter): CompiledValidations {
  return cachedOrCompiled(validating, meter, policy.spec, (spec) => {
    const { common, scope } = compileCommon(spec);
    const { validations = [], auditAnnotations = [] } = spec;
    const withoutAuthorizer = { ...scope, hasAuthorizer: false };
    return {
      ...common,
      validations: validations.map(({ expression }) => compileExpression(expression, scope, outcomes.condition)),
      messages: validations.map(
        ({ messageExpression: message }) =>
          (message && compileExpression(message, withoutAuthorizer, outcomes.message)) || undefined,
      ),
      annotations: auditAnnotations.map(({ key, valueExpression }) => ({
        key,
        expression: compileExpression(valueExpression, scope, outcomes.annotation),
      })),
    };
  });
}

export function compiledMutations(policy: MutatingAdmissionPolicy, meter: WorkMeter): CompiledMutations {
  return cachedOrCompiled(mutating, meter, policy.spec, (spec) => {
    const { common, scope } = compileCommon(spec);
    const mutationScope = { ...scope, hasPatchTypes: true };
    return {
      ...common,
      mutations: (spec.mutations ?? []).map(({ patchType: type, applyConfiguration, jsonPatch }) => {
        const source = (type === "JSONPatch" ? jsonPatch : applyConfiguration)?.expression ?? "";
        const outcome = type === "JSONPatch" ? outcomes.jsonPatch : outcomes.applyConfiguration;
        return { type, expression: compileExpression(source, mutationScope, outcome) };
      }),
    };
  });
}

/** Returns the compiled match conditions of a webhook. */
export function compiledConditions(conditions: readonly MatchCondition[], meter: WorkMeter): readonly Condition[] {
  return cachedOrCompiled(webhookConditions, meter, conditions, () =>
    compileConditions(conditions, { hasParams: false, hasAuthorizer: true }),
  );
}

function compileConditions(conditions: readonly MatchCondition[], scope: Scope): Condition[] {
  return conditions.map(({ name, expression }) => ({
    name,
    expression: compileExpression(expression, scope, outcomes.condition),
  }));
}

interface Spec {
  readonly paramKind?: object;
  readonly variables?: readonly Variable[];
  readonly matchConditions?: readonly MatchCondition[];
}

function compileCommon({ paramKind, variables = [], matchConditions = [] }: Spec): {
  common: CommonExpressions;
  scope: Scope;
} {
  const scopeWithoutVariables: Scope = { hasParams: paramKind !== undefined, hasAuthorizer: true };
  const { expressions, types } = compileVariables(variables, scopeWithoutVariables);
  const scope = { ...scopeWithoutVariables, variables: types };
  return { common: { variables: expressions, conditions: compileConditions(matchConditions, scope) }, scope };
}

/** The work, in microseconds, of compiling one character of a policy. */
const compileWork = 1;

/** The maximum number of entries of each cache, which all sandboxes of one process share. */
const maxCached = 500;

interface Cache<T> {
  readonly byText: BoundedCache<string, T>;
  /** Stored objects are frozen, so the instance identifies its contents. */
  readonly byObject: WeakMap<object, T>;
}

const validating: Cache<CompiledValidations> = { byText: new BoundedCache(maxCached), byObject: new WeakMap() };
const mutating: Cache<CompiledMutations> = { byText: new BoundedCache(maxCached), byObject: new WeakMap() };
const webhookConditions: Cache<readonly Condition[]> = { byText: new BoundedCache(maxCached), byObject: new WeakMap() };

/**
 * Returns the compiled form from the cache, or compiles it. If compiling exceeds the budget of the meter, the request continues in another
 * turn, which uses the cache.
 */
function cachedOrCompiled<S extends object, T>(
  { byText, byObject }: Cache<T>,
  meter: WorkMeter,
  source: S,
  compile: (source: S) => T,
): T {
  const cachedByObject = byObject.get(source);
  if (cachedByObject) return cachedByObject;
  // After the object was read from storage again, its instance differs but its text is equal.
  const text = JSON.stringify(source);
  const cachedByText = byText.get(text);
  const compiled = cachedByText ?? compile(source);
  byText.set(text, compiled);
  byObject.set(source, compiled);
  if (!cachedByText && !meter.tryCharge(text.length * compileWork)) throw new AnotherTurn();
  return compiled;
}
