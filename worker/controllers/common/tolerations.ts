// Matches tolerations against taints (upstream: `Toleration.ToleratesTaint`).
import type { Taint, Toleration } from "../../../shared/k8s/api/core-v1.ts";

export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((toleration) => toleratesTaint(toleration, taint)) ?? false;
}

/** Reports whether a taint prevents scheduling. `PreferNoSchedule` does not. */
export function keepsAway({ effect }: Taint): boolean {
  return effect === "NoSchedule" || effect === "NoExecute";
}

function toleratesTaint({ effect, key, operator, value }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (!operator || operator === "Equal") && (value ?? "") === (taint.value ?? "");
}
