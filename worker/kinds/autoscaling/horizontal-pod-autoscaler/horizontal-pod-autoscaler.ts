// The kind HorizontalPodAutoscaler of autoscaling/v2, the version that is stored.
import type { Features } from "../../../../shared/k8s/settings/feature-gates.ts";
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../../shared/k8s/api/autoscaling-v2.ts";
import { path } from "../../../../shared/k8s/field.ts";
import { validateNonNegative } from "../../../../shared/k8s/validate-meta.ts";
import { roundTripAnnotations, withoutAnnotations } from "./conversion.ts";
import { defaultAutoscaler } from "./defaults.ts";
import { validateAutoscaler } from "./validation.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import { type Column, defineKind } from "../../kind.ts";

const maxShownMetrics = 2;
const unknown = "<unknown>";

export const autoscalerColumns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  {
    name: "Reference",
    type: "string",
    description: "What is scaled.",
    cell: ({ spec: { scaleTargetRef } }) => `${scaleTargetRef.kind}/${scaleTargetRef.name}`,
  },
  {
    name: "Targets",
    type: "string",
    description: "What is measured, and what it should be.",
    cell: ({ spec, status }) => formatHpaMetrics(spec.metrics ?? [], status.currentMetrics ?? []),
  },
  {
    name: "MinPods",
    type: "string",
    description: "The fewest replicas.",
    cell: ({ spec }) => String(spec.minReplicas ?? "<unset>"),
  },
  { name: "MaxPods", type: "string", description: "The most replicas.", cell: ({ spec }) => spec.maxReplicas },
  {
    name: "Replicas",
    type: "string",
    description: "How many replicas there are.",
    cell: ({ status }) => status.currentReplicas ?? 0,
  },
  ageColumn,
];

export const horizontalPodAutoscalers = defineKind<HorizontalPodAutoscaler>(
  "autoscaling",
  "v2",
  "horizontalpodautoscalers",
  {
    defaults(draft) {
      // These annotations hold fields of other versions.
      withoutAnnotations(draft.metadata, roundTripAnnotations);
      defaultAutoscaler(draft.spec);
    },
    prepareForCreate: (draft, { features }) => dropDisabled(draft, undefined, features),
    prepareForUpdate: (draft, previous, { features }) => dropDisabled(draft, previous, features),
    validate: ({ spec }) => validateAutoscaler(spec),
    // Before 1.34, a target needs no API group.
    inRelease: ({ minor }) =>
      minor < 34
        ? { validate: ({ spec }) => validateAutoscaler(spec).filter(({ message }) => !isGroupError(message)) }
        : {},
    subresourceStrategies: {
      status: {
        prepareForUpdate(draft, previous) {
          draft.spec = previous.spec;
        },
        validateUpdate: ({ status }) => [
          ...validateNonNegative(status.currentReplicas, path("status", "currentReplicas")),
          ...validateNonNegative(status.desiredReplicas, path("status", "desiredReplicas")),
        ],
      },
    },
    columns: autoscalerColumns,
  },
);

function isGroupError(message: string): boolean {
  return message.endsWith(": apiVersion must specify API group");
}

/** Drops the tolerance if its feature gate is off, unless the previous object had one. */
function dropDisabled(
  { spec }: HorizontalPodAutoscaler,
  previous: HorizontalPodAutoscaler | undefined,
  { HPAConfigurableTolerance }: Features,
): void {
  const { scaleUp, scaleDown } = previous?.spec.behavior ?? {};
  if (HPAConfigurableTolerance || [scaleUp, scaleDown].some((rules) => rules?.tolerance !== undefined)) return;
  delete spec.behavior?.scaleUp?.tolerance;
  delete spec.behavior?.scaleDown?.tolerance;
}

function formatHpaMetrics(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const texts = specs.map((spec, index) => metricText(spec, statuses[index]));
  const text = texts.slice(0, maxShownMetrics).join(", ");
  return texts.length > maxShownMetrics ? `${text} + ${texts.length - maxShownMetrics} more...` : text;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${spec.pods?.target.averageValue ?? ""}`;
    case "Resource":
      return usageText(spec.resource?.name, spec.resource?.target, status?.resource?.current);
    case "ContainerResource": {
      const { name, target } = spec.containerResource ?? {};
      return usageText(name, target, status?.containerResource?.current);
    }
    default:
      return "<unknown type>";
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? ""}`;
}

function usageText(name = "", target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`;
  return `${name}: ${percentText(current?.averageUtilization, unknown)}/${percentText(target?.averageUtilization, "<auto>")}`;
}

function percentText(value: number | undefined, otherwise: string): string {
  return value === undefined ? otherwise : `${value}%`;
}
