// SchedulingGates: a pod with gates is not looked at until the last of them is taken away.
import type { Plugin } from "../framework.ts";

export const schedulingGates: Plugin = {
  name: "SchedulingGates",
  isGated: ({ pod }) => (pod.spec.schedulingGates?.length ?? 0) > 0,
  wakesOn: ["Pod/gates"],
  wakes: ({ pod }, change) => change.kind === "Pod" && change.after?.metadata.uid === pod.metadata.uid,
};
