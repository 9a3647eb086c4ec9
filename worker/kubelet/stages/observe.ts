// The kubelet sees a changed spec: writes the observed generation and the fields that can change in place.
import { isTerminalPhase } from "../life.ts";
import { conditionsOf } from "../status/conditions.ts";
import type { Stage } from "./stage.ts";

export const observe: Stage = {
  name: "observe",
  next(life, nowMs) {
    const { metadata, status } = life.pod;
    if (metadata.deletionTimestamp !== undefined || isTerminalPhase(status.phase)) return undefined;
    if (life.observed && (life.changed || !(gatesMoved(life) || isDoubted(life)))) return undefined;
    return {
      atMs: nowMs,
      apply() {
        life.observed = true;
      },
    };
  },
};

/** Reports whether the node controller has marked the pod of a silent node as not ready. The kubelet knows better when it is heard again. */
function isDoubted({ pod: { spec, status } }: Parameters<Stage["next"]>[0]): boolean {
  const statusOf = (name: string) => status.conditions?.find(({ type }) => type === name)?.status;
  return !spec.readinessGates?.length && statusOf("Ready") === "False" && statusOf("ContainersReady") === "True";
}

/** Reports whether somebody else set a condition that is a readiness gate of the pod. */
function gatesMoved(life: Parameters<Stage["next"]>[0]): boolean {
  if (!life.pod.spec.readinessGates?.length || Number.isNaN(life.startMs)) return false;
  const stored = life.pod.status.conditions?.find((storedCondition) => storedCondition.type === "Ready");
  const computed = conditionsOf({ ...life, atMs: 0 }, life.pod.status.phase ?? "Pending").find(
    (computedCondition) => computedCondition.type === "Ready",
  );
  return stored?.status !== computed?.status || stored?.message !== computed?.message;
}
