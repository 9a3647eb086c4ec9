// NodePorts: a host port is claimed once on each node.
import { conflict, hostPortsOf } from "../host-ports.ts";
import { isPlaced } from "../pending.ts";
import { type Plugin, resolvable } from "../framework.ts";

const rejection = resolvable("node(s) didn't have free ports for the requested pod ports");

export const nodePorts: Plugin = {
  name: "NodePorts",
  filter({ info: { hostPorts } }) {
    if (hostPorts.length === 0) return undefined;
    return {
      check: ({ podsWithPorts }) => {
        for (const pod of podsWithPorts) {
          if (pod.hostPorts.some((used) => hostPorts.some((wanted) => conflict(used, wanted)))) return rejection;
        }
        return undefined;
      },
    };
  },
  wakesOn: ["Node/add", "Pod/delete"],
  wakes({ pod }, change) {
    if (change.kind !== "Pod") return true;
    if (!change.before || !isPlaced(change.before)) return false;
    const freed = hostPortsOf(change.before);
    return hostPortsOf(pod).some((wanted) => freed.some((one) => conflict(one, wanted)));
  },
};
