// Merges two lists of tolerations without those that another one covers.
import type { Toleration } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";

export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [at, toleration] of all.entries()) {
    const isCovered = merged.some((candidate) => covers(candidate, toleration));
    // The first of several equal tolerations is kept.
    const isCoveredLater = all
      .slice(at + 1)
      .some((later) => !semanticEqual(toleration, later) && covers(later, toleration));
    if (!isCovered && !isCoveredLater) merged.push(toleration);
  }
  return merged;
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (semanticEqual(wide, narrow)) return true;
  const takesAnyKey = !wide.key && wide.operator === "Exists";
  if (wide.key !== narrow.key && !takesAnyKey) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === "NoExecute" && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === "Exists") return true;
  return narrow.operator === "Equal" && (wide.value ?? "") === (narrow.value ?? "");
}
