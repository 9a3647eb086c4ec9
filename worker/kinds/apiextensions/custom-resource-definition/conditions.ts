// Reads and sets the conditions of a definition.
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition as Condition,
} from "../../../../shared/k8s/api/apiextensions-v1.ts";

export type NewCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

/** Returns a copy of the list in which the condition is replaced or added. The transition time changes only with the status. */
export function setCondition(list: readonly Condition[], next: NewCondition, time: string): Condition[] {
  const old = list.find(({ type }) => type === next.type);
  if (!old) return [...list, { ...next, lastTransitionTime: time }];
  const since = old.status === next.status && old.lastTransitionTime ? old.lastTransitionTime : time;
  return list.map((condition) => (condition === old ? { ...old, ...next, lastTransitionTime: since } : condition));
}

export function conditionOf({ status }: CustomResourceDefinition, type: string): Condition | undefined {
  return status.conditions.find((condition) => condition.type === type);
}

export function isTrue(definition: CustomResourceDefinition, type: string): boolean {
  return conditionOf(definition, type)?.status === "True";
}

/** Reports whether two conditions of one type have the same status, reason and message. */
export function isSameCondition(a: NewCondition, b: NewCondition | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;
}
