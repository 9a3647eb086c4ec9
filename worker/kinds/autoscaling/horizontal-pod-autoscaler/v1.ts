// The kind HorizontalPodAutoscaler of autoscaling/v1: the stored v2 with fields for CPU only.
import type { HorizontalPodAutoscaler } from "../../../../shared/k8s/api/autoscaling-v1.ts";
import type { HorizontalPodAutoscaler as Stored } from "../../../../shared/k8s/api/autoscaling-v2.ts";
import { toStorage, fromStorage } from "./conversion.ts";
import { autoscalerColumns, horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.ts";
import { defineKind } from "../../kind.ts";

export const horizontalPodAutoscalersV1 = defineKind<HorizontalPodAutoscaler>(
  "autoscaling",
  "v1",
  "horizontalpodautoscalers",
  {
    defaults({ spec }) {
      spec.minReplicas ??= 1;
    },
    columns: autoscalerColumns.map((column) => ({
      ...column,
      cell: (autoscaler: HorizontalPodAutoscaler, nowMs: number) => column.cell(toStorage(autoscaler), nowMs),
    })),
    conversion: {
      hub: horizontalPodAutoscalers,
      storageVersion: horizontalPodAutoscalers.version,
      toStorage,
      // The registry passes only objects that are stored under this resource.
      fromStorage: (stored) => fromStorage(stored as Stored),
    },
  },
);
