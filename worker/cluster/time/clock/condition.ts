// The condition that ends a run of the clock: a CEL expression over one object.
import { dynValue } from "../../../../shared/cel/json-value.ts";
import { compile, evaluate } from "../../../../shared/cel/program.ts";
import { boolType, dynType } from "../../../../shared/cel/types.ts";
import type { ClockCondition } from "../../../../shared/contract/cluster/clock.ts";
import { inVersion } from "../../../api/present/present.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { Registry } from "../../../registry/registry.ts";

/** A condition that the cluster cannot look at: the message says why. */
export class ConditionProblem extends Error {
  override name = "ConditionProblem";
}

const variables = new Map([["object", dynType]]);

export interface Condition {
  /** Reports whether the condition holds now, or cannot be told any more. */
  holds(): boolean;
  /** Why it cannot be told; undefined if it can. */
  readonly problem: string | undefined;
}

/** Compiles an expression over `object`. Throws `ConditionProblem`. */
function programOf(expression: string) {
  const compiled = compile(expression, { variables });
  if (!("program" in compiled)) {
    throw new ConditionProblem("problems" in compiled ? compiled.problems : compiled.planProblem);
  }
  const { program } = compiled;
  if (program.result !== boolType && program.result !== dynType) throw new ConditionProblem("must evaluate to bool");
  return program;
}

/** Compiles an expression to a predicate of stored objects of a resource. Throws `ConditionProblem`. */
export function predicateOf(
  { store, catalogue }: Registry,
  resource: string,
  expression: string,
): (stored: KubeObject | undefined) => boolean {
  const program = programOf(expression);
  return (stored) => {
    const kind = catalogue.stored(resource);
    const object = stored && kind ? inVersion(kind, stored) : null;
    const outcome = evaluate(program, () => dynValue(object), store.meter);
    return "value" in outcome && outcome.value === true;
  };
}

/**
 * Compiles a condition. Throws `ConditionProblem` if the expression does not compile or no such resource is served. An expression that
 * fails does not hold: a field may not be there yet.
 */
export function conditionOf(registry: Registry, clockCondition: ClockCondition): Condition {
  const { store, catalogue } = registry;
  const program = programOf(clockCondition.expression);
  if (!catalogue.stored(clockCondition.resource)) {
    throw new ConditionProblem(`the cluster has no resource ${JSON.stringify(clockCondition.resource)}`);
  }
  const key = { resource: clockCondition.resource, namespace: clockCondition.namespace, name: clockCondition.name };
  let problem: string | undefined;
  let evaluation: { readonly revision: string | undefined; readonly holds: boolean } | undefined;
  return {
    holds: () => {
      const stored = store.get(key);
      const revision = stored?.metadata.resourceVersion;
      if (evaluation && evaluation.revision === revision) return evaluation.holds;
      const kind = catalogue.stored(clockCondition.resource);
      const object = stored && kind ? inVersion(kind, stored) : null;
      const outcome = evaluate(program, () => dynValue(object), store.meter);
      if ("error" in outcome && outcome.isTooExpensive) problem = outcome.error;
      evaluation = { revision, holds: problem !== undefined || ("value" in outcome && outcome.value === true) };
      return evaluation.holds;
    },
    get problem() {
      return problem;
    },
  };
}
