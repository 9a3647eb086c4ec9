// The kind HorizontalPodAutoscaler of autoscaling/v2, the version that is stored.
import type { HorizontalPodAutoscaler } from "../../shared/k8s/api/autoscaling-v2.ts";
import { path } from "../../shared/k8s/field.ts";
import { validateNonNegative } from "../../shared/k8s/validate-meta.ts";
import { roundTripAnnotations, withoutAnnotations } from "./autoscalers/annotations.ts";
import { defaultAutoscaler } from "./autoscalers/defaults.ts";
import { metricTargets } from "./autoscalers/metric-targets.ts";
import { validateAutoscaler } from "./autoscalers/validate.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { type Column, defineKind } from "./kind.ts";

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
    cell: ({ spec, status }) => metricTargets(spec.metrics ?? [], status.currentMetrics ?? []),
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
      // They are the other version's way to tell what this one has fields for.
      withoutAnnotations(draft.metadata, roundTripAnnotations);
      defaultAutoscaler(draft.spec);
    },
    validate: ({ spec }) => validateAutoscaler(spec),
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
