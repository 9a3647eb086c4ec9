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
import { shareAmount, strategyForm, validateNoMoreThanAll, validateShare } from "./shares.ts";

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
  if (shareAmount(maxUnavailable) === 0 && shareAmount(maxSurge) === 0) {
    errors.push(invalid(unavailable, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  }
  return [...errors, ...validateNoMoreThanAll(maxUnavailable, unavailable)];
}

function internalForm({ type, rollingUpdate }: DeploymentStrategy): unknown {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  return strategyForm(type, rollingUpdate && { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge });
}
