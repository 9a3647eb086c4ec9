// NodeName: a pod with a node name fits only that node.
import { type Plugin, unschedulableAndUnresolvable } from "../framework.ts";

const status = unschedulableAndUnresolvable("node(s) didn't match the requested node name");

export const nodeName: Plugin = {
  name: "NodeName",
  preFilter({ pod }) {
    const requiredNode = pod.spec.nodeName;
    if (!requiredNode) return undefined;
    return { filter: ({ name }) => (name === requiredNode ? undefined : status) };
  },
  eventsToRegister: ["Node/Add"],
};
