// The spec of a DaemonSet: defaults and rules.
import type {
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "../../../shared/k8s/api/apps-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupportedInOrder, required } from "../../../shared/k8s/field.ts";
import { selectorFrom } from "../../../shared/k8s/labels.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { validateLabelSelectorValues } from "../pods/checks.ts";
import { validatePodTemplate } from "../pods/pod-template.ts";
import { shareAmount, strategyForm, validateNoMoreThanAll, validateShare } from "./shares.ts";
import { isSelector, labelMismatch, validateLongRunning, validateNonEmptySelector } from "./validate-template.ts";

export function defaultDaemonSetStrategy(strategy: DaemonSetUpdateStrategy): void {
  strategy.type ??= "RollingUpdate";
  if (strategy.type !== "RollingUpdate") return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= 1;
  strategy.rollingUpdate.maxSurge ??= 0;
}

export function validateDaemonSetSpec(spec: DaemonSetSpec, at: FieldPath): FieldError[] {
  const { selector, template } = spec;
  const where = at.child("template");
  const errors = validateLabelSelectorValues(selector, at.child("selector"));
  if (isSelector(selector) && !selectorFrom(selector).matches(template.metadata.labels)) {
    errors.push(labelMismatch(template, where));
  }
  if (selector) errors.push(...validateNonEmptySelector(selector, at.child("selector"), "daemonset"));
  return [
    ...errors,
    ...validatePodTemplate(template, where),
    ...validateLongRunning(template, where, "DaemonSet"),
    ...validateNonNegative(spec.minReadySeconds, at.child("minReadySeconds")),
    ...validateStrategy(spec.updateStrategy, at.child("updateStrategy")),
    ...validateNonNegative(spec.revisionHistoryLimit, at.child("revisionHistoryLimit")),
  ];
}

function validateStrategy({ type, rollingUpdate }: DaemonSetUpdateStrategy, at: FieldPath): FieldError[] {
  if (type === "OnDelete") return [];
  if (type === "RollingUpdate") {
    const where = at.child("rollingUpdate");
    return rollingUpdate ? validateRollingUpdate(rollingUpdate, where) : [required(where)];
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const form = strategyForm(type, rollingUpdate && { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge });
  return [notSupportedInOrder(at, form, ["RollingUpdate", "OnDelete"])];
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet, at: FieldPath) {
  const [unavailableAt, surgeAt] = [at.child("maxUnavailable"), at.child("maxSurge")];
  const errors = [
    ...validateShare(maxUnavailable, unavailableAt),
    ...validateShare(maxSurge, surgeAt),
    ...validateNoMoreThanAll(maxUnavailable, unavailableAt),
    ...validateNoMoreThanAll(maxSurge, surgeAt),
  ];
  const [hasUnavailable, hasSurge] = [shareAmount(maxUnavailable) !== 0, shareAmount(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(surgeAt, maxSurge, "may not be set when maxUnavailable is non-zero"));
  }
  if (!hasUnavailable && !hasSurge) errors.push(required(unavailableAt, "cannot be 0 when maxSurge is 0"));
  return errors;
}
