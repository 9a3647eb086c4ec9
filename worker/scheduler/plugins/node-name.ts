// NodeName: a pod that names a node fits no other.
import { type Plugin, unschedulableAndUnresolvable } from "../framework.ts";

const status = unschedulableAndUnresolvable("node(s) didn't match the requested node name");

export const nodeName: Plugin = {
  name: "NodeName",
  preFilter({ pod }) {
    const wanted = pod.spec.nodeName;
    if (!wanted) return undefined;
    return { filter: ({ name }) => (name === wanted ? undefined : status) };
  },
  eventsToRegister: ["Node/Add"],
};
