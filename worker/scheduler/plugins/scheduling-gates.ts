// SchedulingGates: a pod with gates is not tried until its last gate is removed.
import type { Plugin } from "../framework.ts";

export const schedulingGates: Plugin = {
  name: "SchedulingGates",
  preEnqueue: ({ pod }) => (pod.spec.schedulingGates?.length ?? 0) === 0,
  eventsToRegister: ["Pod/UpdatePodSchedulingGatesEliminated"],
  queueingHint: ({ pod }, change) => change.resource === "Pod" && change.newObj?.metadata.uid === pod.metadata.uid,
};
