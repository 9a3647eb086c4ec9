// NodeName: a pod that names a node fits no other.
import { type Plugin, unresolvable } from "../framework.ts";

const rejection = unresolvable("node(s) didn't match the requested node name");

export const nodeName: Plugin = {
  name: "NodeName",
  filter({ pod }) {
    const wanted = pod.spec.nodeName;
    if (!wanted) return undefined;
    return { check: ({ name }) => (name === wanted ? undefined : rejection) };
  },
  wakesOn: ["Node/add"],
};
