// How a Deployment replaces its pods: defaults and rules.
import type { DeploymentStrategy, RollingUpdateDeployment } from "../../../shared/k8s/api/apps-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../shared/k8s/field.ts";
import { percentOf } from "../../../shared/k8s/intstr.ts";
import { percent } from "../../../shared/k8s/names.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";

export function defaultStrategy(strategy: DeploymentStrategy): void {
  strategy.type ??= "RollingUpdate";
  if (strategy.type !== "RollingUpdate") return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= "25%";
  strategy.rollingUpdate.maxSurge ??= "25%";
}

export function validateStrategy(strategy: DeploymentStrategy, at: FieldPath): FieldError[] {
  const rolling = at.child("rollingUpdate");
  switch (strategy.type) {
    case "Recreate": {
      if (!strategy.rollingUpdate) return [];
      return [forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")];
    }
    case "RollingUpdate": {
      if (!strategy.rollingUpdate) return [required(rolling, "this should be defaulted and never be nil")];
      return validateRollingUpdate(strategy.rollingUpdate, rolling);
    }
    default:
      return [notSupported(at, internalForm(strategy), ["Recreate", "RollingUpdate"])];
  }
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment, at: FieldPath) {
  const unavailable = at.child("maxUnavailable");
  const errors = [...validateShare(maxUnavailable, unavailable), ...validateShare(maxSurge, at.child("maxSurge"))];
  if (amount(maxUnavailable) === 0 && amount(maxSurge) === 0) {
    errors.push(invalid(unavailable, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  }
  if ((percentOf(maxUnavailable) ?? 0) > 100) {
    errors.push(invalid(unavailable, maxUnavailable, "must not be greater than 100%"));
  }
  return errors;
}

/** Upstream's `ValidatePositiveIntOrPercent`. */
function validateShare(value: number | string, at: FieldPath): FieldError[] {
  if (typeof value === "number") return validateNonNegative(value, at);
  return percent(value).map((message) => invalid(at, value, message));
}

function amount(value: number | string): number {
  return typeof value === "number" ? value : (percentOf(value) ?? Number.parseInt(value, 10)) || 0;
}

/** Upstream prints its internal struct here, whose fields have no JSON names. */
function internalForm(strategy: DeploymentStrategy): unknown {
  const { rollingUpdate } = strategy;
  const type = strategy.type ?? "";
  if (!rollingUpdate) return { Type: type, RollingUpdate: null };
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  return { Type: type, RollingUpdate: { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } };
}
