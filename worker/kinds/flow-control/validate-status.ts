// What the conditions of flow schemas and priority levels must be.
import type { FlowSchemaCondition } from "../../../shared/k8s/api/flowcontrol-v1.ts";
import { duplicate, path, required } from "../../../shared/k8s/field.ts";

export function validateFlowStatus({ status }: { status: { conditions?: readonly FlowSchemaCondition[] } }) {
  const conditions = status.conditions ?? [];
  return conditions.flatMap(({ type = "" }, index) => {
    const at = path("status", "conditions").index(index).child("type");
    const isRepeated = conditions.slice(0, index).some((one) => (one.type ?? "") === type);
    return [...(isRepeated ? [duplicate(at, type)] : []), ...(type ? [] : [required(at)])];
  });
}
