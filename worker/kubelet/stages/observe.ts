// A changed spec is seen: the status says so, and follows what can be changed in place.
import { isTerminalPhase } from "../life.ts";
import { conditionsOf } from "../status/conditions.ts";
import type { Stage } from "./stage.ts";

export const observe: Stage = {
  name: "observe",
  next(life, nowMs) {
    const { metadata, status } = life.pod;
    if (metadata.deletionTimestamp !== undefined || isTerminalPhase(status.phase)) return undefined;
    if (life.observed && (life.changed || !gatesMoved(life))) return undefined;
    return {
      atMs: nowMs,
      apply() {
        life.observed = true;
      },
    };
  },
};

/** Somebody else set a condition that the pod's readiness waits for. */
function gatesMoved(life: Parameters<Stage["next"]>[0]): boolean {
  if (!life.pod.spec.readinessGates?.length || Number.isNaN(life.startMs)) return false;
  const stored = life.pod.status.conditions?.find((one) => one.type === "Ready");
  const computed = conditionsOf({ ...life, atMs: 0 }, life.pod.status.phase ?? "Pending").find(
    (one) => one.type === "Ready",
  );
  return stored?.status !== computed?.status || stored?.message !== computed?.message;
}
