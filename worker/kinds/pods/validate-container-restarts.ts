// What a container may say of its own restarts.
import type { Container, ContainerRestartRule } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, required, tooMany } from "../../../shared/k8s/field.ts";
import { oneOf } from "./checks.ts";

const maxRules = 20;
const maxExitCodes = 255;

export function validateContainerRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const errors: FieldError[] = [];
  const at = path.child("restartPolicy");
  if (restartPolicy !== undefined) errors.push(...oneOf(restartPolicy, at, ["Always", "Never", "OnFailure"]));
  else if (rules.length > 0) errors.push(required(at, "must specify restartPolicy when restart rules are used"));
  const rulesAt = path.child("restartPolicyRules");
  if (rules.length > maxRules) errors.push(tooMany(rulesAt, rules.length, maxRules));
  return [...errors, ...rules.flatMap((rule, index) => validateRule(rule, rulesAt.index(index)))];
}

function validateRule({ action = "", exitCodes }: ContainerRestartRule, path: FieldPath): FieldError[] {
  const errors = oneOf(action, path.child("action"), ["Restart", "RestartAllContainers"]);
  const at = path.child("exitCodes");
  if (!exitCodes) return [...errors, required(at, "must be specified")];
  errors.push(...oneOf(exitCodes.operator ?? "", at.child("operator"), ["In", "NotIn"]));
  const count = exitCodes.values?.length ?? 0;
  return [...errors, ...(count > maxExitCodes ? [tooMany(at.child("values"), count, maxExitCodes)] : [])];
}
