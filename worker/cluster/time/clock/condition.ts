// The condition that ends a run of the clock: a CEL expression over one object.
import { dynValue } from "../../../../shared/cel/json-value.ts";
import { compile, evaluate } from "../../../../shared/cel/program.ts";
import { boolType, dynType } from "../../../../shared/cel/types.ts";
import type { ClockCondition } from "../../../../shared/contract/cluster/clock.ts";
import { inVersion } from "../../../api/present/present.ts";
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

/**
 * Compiles a condition. Throws `ConditionProblem` if the expression does not compile or no such resource is served. An expression that
 * fails does not hold: a field may not be there yet.
 */
export function conditionOf(registry: Registry, clockCondition: ClockCondition): Condition {
  const { store, catalogue } = registry;
  const compiled = compile(clockCondition.expression, { variables });
  if (!("program" in compiled)) {
    throw new ConditionProblem("problems" in compiled ? compiled.problems : compiled.planProblem);
  }
  const { program } = compiled;
  if (program.result !== boolType && program.result !== dynType) {
    throw new ConditionProblem("must evaluate to bool");
  }
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
