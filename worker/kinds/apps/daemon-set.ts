// The kind DaemonSet of apps.
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "../../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  path,
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../shared/k8s/field.ts";
import { formatLabels, formatLabelSelector, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { validateImmutable, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { cannotBeHandled } from "../../../shared/schema/wording.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { type Column, defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "../core/pod/disabled-fields.ts";
import { defaultPodTemplate, podTemplateWarnings, validatePodTemplateSpec } from "../core/pod/template.ts";
import { selectorColumn, templateColumns } from "./template-printers.ts";
import { validateCollisionCount } from "./status-validation.ts";
import { validateLabelSelectorValues } from "../common/checks.ts";
import { shareAmount, strategyAsGoStruct, validateNoMoreThanAll, validateShare } from "./int-or-percent.ts";
import { isSelector, labelMismatch, validateLongRunning, validateNonEmptySelector } from "./template-validation.ts";

/** The annotation with the template generation, which has no field in apps/v1. */
const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSets = defineKind<DaemonSet>("apps", "v1", "daemonsets", {
  defaults(draft) {
    const { spec } = draft;
    defaultDaemonSetStrategy(spec.updateStrategy);
    spec.revisionHistoryLimit ??= 10;
    defaultPodTemplate(spec.template);
    // Upstream's conversion sets it, so the creator owns the field.
    setTemplateGeneration(draft, readTemplateGeneration(draft));
  },
  prepareForCreate(draft, { features }) {
    dropDisabledOfTemplate(draft.spec.template, undefined, features);
    setTemplateGeneration(draft, Math.max(1, templateGenerationOf(draft)));
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.spec.template, previous.spec.template, features);
    const isChanged = !semanticEqual(draft.spec.template, previous.spec.template);
    setTemplateGeneration(draft, templateGenerationOf(previous) + (isChanged ? 1 : 0));
  },
  validate: ({ spec }) => validateDaemonSetSpec(spec, path("spec")),
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateImmutable(next.spec.selector, previous.spec.selector, path("spec", "selector")),
    ...check.validate(),
  ],
  warnings(next, previous) {
    if (previous && templateGenerationOf(next) === templateGenerationOf(previous)) return [];
    const { template } = next.spec;
    return podTemplateWarnings(template.spec, template.metadata, path("spec", "template"));
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
        setTemplateGeneration(draft, templateGenerationOf(previous));
      },
      validateUpdate: validateStatus,
    },
  },
  columns: [
    nameColumn,
    count("Desired", "How many nodes should run a pod.", "desiredNumberScheduled"),
    count("Current", "How many nodes run the pod they should.", "currentNumberScheduled"),
    count("Ready", "How many nodes run a ready pod.", "numberReady"),
    count("Up-to-date", "How many nodes run a pod of the current template.", "updatedNumberScheduled"),
    count("Available", "How many nodes run a pod that has been ready for long enough.", "numberAvailable"),
    {
      name: "Node Selector",
      type: "string",
      description: "Labels of the nodes that count.",
      cell: ({ spec }) => formatLabels(spec.template.spec.nodeSelector),
    },
    ageColumn,
    ...templateColumns<DaemonSet>(({ spec }) => spec.template.spec),
    selectorColumn<DaemonSet>(({ spec }) => formatLabelSelector(spec.selector)),
  ],
});

type Count =
  | "currentNumberScheduled"
  | "desiredNumberScheduled"
  | "numberAvailable"
  | "numberReady"
  | "updatedNumberScheduled";

function count(name: string, description: string, field: Count): Column<DaemonSet> {
  return { name, type: "integer", description, cell: ({ status }) => status[field] ?? 0 };
}

function templateGenerationOf({ metadata }: DaemonSet): number {
  return Number.parseInt(metadata.annotations?.[templateGeneration] ?? "", 10) || 0;
}

/** Parses the number as Go does, whose error is part of a message. */
function readTemplateGeneration(set: DaemonSet): number {
  const text = set.metadata.annotations?.[templateGeneration];
  if (text === undefined || /^[+-]?[0-9]+$/.test(text)) return templateGenerationOf(set);
  const cause = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw cannotBeHandled({ kind: "DaemonSet", version: "v1" }, cause);
}

function setTemplateGeneration(draft: DaemonSet, generation: number): void {
  const annotations = { ...draft.metadata.annotations, [templateGeneration]: String(generation) };
  draft.metadata = { ...draft.metadata, annotations };
}

function validateStatus({ status }: DaemonSet, previous: DaemonSet) {
  const fields = [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ] as const;
  const at = path("status");
  return [
    ...fields.flatMap((field) => validateNonNegative(status[field], at.child(field))),
    ...validateCollisionCount(status.collisionCount, previous.status.collisionCount, at),
  ];
}

function defaultDaemonSetStrategy(strategy: DaemonSetUpdateStrategy): void {
  strategy.type ??= "RollingUpdate";
  if (strategy.type !== "RollingUpdate") return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= 1;
  strategy.rollingUpdate.maxSurge ??= 0;
}

function validateDaemonSetSpec(spec: DaemonSetSpec, at: FieldPath): FieldError[] {
  const { selector, template } = spec;
  const where = at.child("template");
  const errors = validateLabelSelectorValues(selector, at.child("selector"));
  if (isSelector(selector) && !labelSelectorAsSelector(selector).matches(template.metadata.labels)) {
    errors.push(labelMismatch(template, where));
  }
  if (selector) errors.push(...validateNonEmptySelector(selector, at.child("selector"), "daemonset"));
  return [
    ...errors,
    ...validatePodTemplateSpec(template, where),
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
  const form = strategyAsGoStruct(type, rollingUpdate && { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge });
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
