// Evaluates the validations of a policy for one write (upstream: validating/validator).
import { runtimeCostBudget } from "../../../shared/cel/program.ts";
import { typeNameOf } from "../../../shared/cel/values.ts";
import type { ValidatingAdmissionPolicy } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type CompiledValidations, compiledValidations } from "./compiled.ts";
import { conditionsHold } from "./conditions.ts";
import { type Outcome, OutOfBudget, evaluatorOf } from "./evaluation.ts";
import { type Subject, variablesOf } from "./variables.ts";

export interface Finding {
  readonly message: string;
  /** The reason of the Status; "" for the default. */
  readonly reason: string;
  /** Whether the write is rejected whatever the binding's `validationActions` say. */
  readonly rejectsAlways?: boolean;
  /** The index of the validation; 0 if the finding belongs to none. */
  readonly index: number;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly value: string;
}

/** Upstream ignores the result of a message expression that is longer in UTF-8. */
const maxMessageBytes = 5 * 1024;

/** Returns the findings of a policy. Its audit annotations are added to `noted`. */
export function findingsOf(
  policy: ValidatingAdmissionPolicy,
  subject: Subject,
  auditAnnotations: AuditAnnotation[],
): Finding[] {
  const compiled = compiledValidations(policy, subject.request.context.meter);
  const isIgnored = policy.spec.failurePolicy === "Ignore";
  const failureFinding = (message: string, index = 0): Finding[] => (isIgnored ? [] : [{ message, reason: "", index }]);
  const holds = conditionsHold(compiled.conditions, compiled.variables, subject, policy.spec.failurePolicy);
  if (typeof holds === "object") return failureFinding(holds.error);
  if (!holds) return [];
  try {
    return [
      ...validationFindings(policy, compiled, subject, failureFinding),
      ...auditFindings(compiled, subject, isIgnored, auditAnnotations),
    ];
  } catch (error) {
    if (error instanceof OutOfBudget) return failureFinding(error.message);
    throw error;
  }
}

/** Evaluates the validations, each with its message. */
function validationFindings(
  { spec: { validations = [] } }: ValidatingAdmissionPolicy,
  compiled: CompiledValidations,
  subject: Subject,
  failureFinding: (message: string, index?: number) => Finding[],
): Finding[] {
  const evaluator = evaluatorOf(
    variablesOf(subject, { hasAuthorizer: true }),
    compiled.variables,
    runtimeCostBudget,
    subject.request.context.meter,
  );
  const outcomes = compiled.validations.map((expression) => evaluator.run(expression));
  const messages = messagesOf(compiled, subject, evaluator.remainingBudget());
  return outcomes.flatMap((outcome, index) => {
    if ("error" in outcome) return failureFinding(outcome.error, index);
    if (typeof messages === "string") return failureFinding(`failed messageExpression: ${messages}`, index);
    if (outcome.value === true) return [];
    const { expression = "", message = "", reason } = validations[index] ?? {};
    const text = messageOf(messages[index]) || message.trim() || `failed expression: ${expression.trim()}`;
    return [{ message: text, reason: reason ?? "Invalid", index }];
  });
}

/** Evaluates the message expressions, which happens for every write. Returns a text if they cost too much. */
function messagesOf(
  compiled: CompiledValidations,
  subject: Subject,
  budget: number,
): readonly (Outcome | undefined)[] | string {
  const evaluator = evaluatorOf(
    variablesOf(subject, { hasAuthorizer: false }),
    compiled.variables,
    budget,
    subject.request.context.meter,
  );
  try {
    return compiled.messages.map((expression) => expression && evaluator.run(expression));
  } catch (error) {
    if (error instanceof OutOfBudget) return error.message;
    throw error;
  }
}

/** Returns the message of an outcome; "" if it cannot be used. */
function messageOf(outcome: Outcome | undefined): string {
  if (!outcome || "error" in outcome || typeof outcome.value !== "string") return "";
  const message = outcome.value.trim();
  return utf8Length(message) > maxMessageBytes || message.includes("\n") ? "" : message;
}

/** Evaluates the audit annotations. An error rejects the write, unless the policy ignores failures (`isIgnored`). */
function auditFindings(
  compiled: CompiledValidations,
  subject: Subject,
  isIgnored: boolean,
  auditAnnotations: AuditAnnotation[],
): Finding[] {
  const evaluator = evaluatorOf(
    variablesOf(subject, { hasAuthorizer: true }),
    compiled.variables,
    runtimeCostBudget,
    subject.request.context.meter,
  );
  return compiled.annotations.flatMap(({ key, expression }): Finding[] => {
    const outcome = evaluator.run(expression);
    const auditFailure = (message: string): Finding => ({ message, reason: "", rejectsAlways: true, index: 0 });
    if ("error" in outcome) return isIgnored ? [] : [auditFailure(outcome.error)];
    if (typeof outcome.value === "string") {
      const value = outcome.value.trim();
      if (value !== "") auditAnnotations.push({ key, value });
      return [];
    }
    if (outcome.value === null) return [];
    const type = typeNameOf(outcome.value);
    const why = "Return type must be either string or null.";
    const message = `valueExpression '${expression.source}' resulted in unsupported return type: ${type}. ${why}`;
    return [auditFailure(message)];
  });
}
