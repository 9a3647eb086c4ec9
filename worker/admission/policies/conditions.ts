// Evaluates the match conditions of a policy or a webhook (upstream: webhook/matchconditions).
import { matchConditionsBudget } from "../../../shared/cel/program.ts";
import type { Expression } from "../../kinds/admissionregistration/expressions.ts";
import type { Condition } from "./compiled.ts";
import { OutOfBudget, evaluatorOf } from "./evaluation.ts";
import { type Subject, variablesOf } from "./variables.ts";

/** Reports whether all conditions are true. A false condition takes precedence over an error; the failure policy decides about an error. */
export function conditionsHold(
  conditions: readonly Condition[],
  composed: ReadonlyMap<string, Expression>,
  subject: Subject,
  failurePolicy: string | undefined,
): boolean | { readonly error: string } {
  if (!conditions.length) return true;
  const failureResult = (error: string) => (failurePolicy === "Ignore" ? false : { error });
  // Match conditions have no `namespaceObject`.
  const variables = variablesOf({ ...subject, namespace: undefined }, { hasAuthorizer: true });
  const evaluator = evaluatorOf(variables, composed, matchConditionsBudget, subject.request.context.meter);
  const errors: string[] = [];
  let isFalse = false;
  try {
    for (const { expression } of conditions) {
      const outcome = evaluator.run(expression);
      if ("error" in outcome) errors.push(outcome.error);
      else if (outcome.value === false) isFalse = true;
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return failureResult(error.message);
    throw error;
  }
  if (isFalse) return false;
  if (!errors.length) return true;
  const all = [...new Set(errors)];
  return failureResult(all.length === 1 ? (all[0] ?? "") : `[${all.join(", ")}]`);
}
