// What the conditions of flow schemas and priority levels must be.
import type { FlowSchemaCondition } from "../../../shared/k8s/api/flowcontrol-v1.ts";
import { duplicate, path, required } from "../../../shared/k8s/field.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

export function validateFlowStatus({ status }: { status: { conditions?: readonly FlowSchemaCondition[] } }) {
  const conditions = status.conditions ?? [];
  const repeats = repeatsOf(conditions, ({ type = "" }) => type);
  return conditions.flatMap(({ type = "" }, index) => {
    const at = path("status", "conditions").index(index).child("type");
    return [...(repeats[index] ? [duplicate(at, type)] : []), ...(type ? [] : [required(at)])];
  });
}
