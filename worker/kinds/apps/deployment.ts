// The kind Deployment of apps.
import { dropDisabledStatus } from "./terminating-replicas.ts";
import { selectorColumn, templateColumns } from "./template-printers.ts";
import type { Deployment, DeploymentStrategy, RollingUpdateDeployment } from "../../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  invalid,
  path,
  type FieldError,
  type FieldPath,
  forbidden,
  notSupported,
  required,
} from "../../../shared/k8s/field.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { validateImmutable, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "../core/pod/disabled-fields.ts";
import { defaultPodTemplate } from "../core/pod/template.ts";
import { validateCollisionCount, validateCounts } from "./status-validation.ts";
import { templateWarnings, validateSelectorAndTemplate } from "./template-validation.ts";
import { shareAmount, strategyAsGoStruct, validateNoMoreThanAll, validateShare } from "./int-or-percent.ts";

export const deployments = defineKind<Deployment>("apps", "v1", "deployments", {
  defaults({ spec }) {
    spec.replicas ??= 1;
    defaultStrategy(spec.strategy);
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    defaultPodTemplate(spec.template);
  },
  prepareForCreate(draft, { features }) {
    dropDisabledOfTemplate(draft.spec.template, undefined, features);
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.spec.template, previous.spec.template, features);
  },
  validate,
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.validate(),
    ...validateImmutable(next.spec.selector, previous.spec.selector, path("spec", "selector")),
  ],
  warnings: templateWarnings,
  // Annotations raise the generation too, since rollout tools rely on their being observed.
  raisesGeneration: (next, previous) =>
    !semanticEqual(next.spec, previous.spec) ||
    !semanticEqual(next.metadata.annotations ?? {}, previous.metadata.annotations ?? {}),
  resetFields: { status: ["spec", "metadata.labels"] },
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous, { features }) {
        draft.spec = previous.spec;
        dropDisabledStatus(draft.status, previous.status, features);
        draft.metadata = { ...draft.metadata };
        delete draft.metadata.labels;
        if (previous.metadata.labels) draft.metadata.labels = previous.metadata.labels;
      },
      validateUpdate: validateStatus,
    },
  },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
    withReplicas: (deployment, replicas) => ({ ...deployment, spec: { ...deployment.spec, replicas } }),
  },
  columns: [
    nameColumn,
    {
      name: "Ready",
      type: "string",
      description: "How many pods are ready, of how many there should be.",
      cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    },
    {
      name: "Up-to-date",
      type: "string",
      description: "How many pods have the current template.",
      cell: ({ status }) => status.updatedReplicas ?? 0,
    },
    {
      name: "Available",
      type: "string",
      description: "How many pods have been ready for long enough.",
      cell: ({ status }) => status.availableReplicas ?? 0,
    },
    ageColumn,
    ...templateColumns<Deployment>(({ spec }) => spec.template.spec),
    selectorColumn<Deployment>(({ spec }) => labelSelectorAsSelector(spec.selector).toString()),
  ],
});

function validate({ spec }: Deployment) {
  const at = path("spec");
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  const errors = [
    ...validateNonNegative(spec.replicas, at.child("replicas")),
    ...validateSelectorAndTemplate(spec.selector, spec.template, at),
    ...validateStrategy(spec.strategy, at.child("strategy")),
    ...validateNonNegative(minReadySeconds, at.child("minReadySeconds")),
    ...validateNonNegative(spec.revisionHistoryLimit, at.child("revisionHistoryLimit")),
    ...validateNonNegative(deadline, at.child("progressDeadlineSeconds")),
  ];
  if (deadline !== undefined && deadline <= minReadySeconds) {
    errors.push(invalid(at.child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds"));
  }
  return errors;
}

function validateStatus({ status }: Deployment, previous: Deployment) {
  const { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas } = status;
  const { unavailableReplicas, terminatingReplicas, collisionCount } = status;
  const counts = { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas };
  const errors = validateCounts(
    { ...counts, unavailableReplicas, terminatingReplicas, collisionCount },
    { noMoreThanReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"] },
    path("status"),
  );
  return [...errors, ...validateCollisionCount(collisionCount, previous.status.collisionCount, path("status"))];
}

function defaultStrategy(strategy: DeploymentStrategy): void {
  strategy.type ??= "RollingUpdate";
  if (strategy.type !== "RollingUpdate") return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= "25%";
  strategy.rollingUpdate.maxSurge ??= "25%";
}

function validateStrategy(strategy: DeploymentStrategy, at: FieldPath): FieldError[] {
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
  return strategyAsGoStruct(type, rollingUpdate && { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge });
}
