// Conditions of a definition: what is true of it, and since when.
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition as Condition,
} from "../../../../shared/k8s/api/apiextensions-v1.ts";

export type NewCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The list with a condition set; its time is that of the last change of its status. */
export function setCondition(list: readonly Condition[], next: NewCondition, time: string): Condition[] {
  const old = list.find(({ type }) => type === next.type);
  if (!old) return [...list, { ...next, lastTransitionTime: time }];
  const since = old.status === next.status && old.lastTransitionTime ? old.lastTransitionTime : time;
  return list.map((one) => (one === old ? { ...old, ...next, lastTransitionTime: since } : one));
}

export function conditionOf({ status }: CustomResourceDefinition, type: string): Condition | undefined {
  return status.conditions.find((one) => one.type === type);
}

export function isTrue(definition: CustomResourceDefinition, type: string): boolean {
  return conditionOf(definition, type)?.status === "True";
}

/** Whether they say the same, whenever they came to. */
export function isSameCondition(a: NewCondition, b: NewCondition | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;
}
