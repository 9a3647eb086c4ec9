// NodePorts: each host port can be used once on a node.
import { conflict, hostPortsOf } from "../pod-info.ts";
import { isPlaced } from "../pending.ts";
import { type Plugin, unschedulable } from "../framework.ts";

const status = unschedulable("node(s) didn't have free ports for the requested pod ports");

export const nodePorts: Plugin = {
  name: "NodePorts",
  preFilter({ info: { hostPorts } }) {
    if (hostPorts.length === 0) return undefined;
    return {
      filter: ({ podsWithHostPorts }) => {
        for (const pod of podsWithHostPorts) {
          if (pod.hostPorts.some((used) => hostPorts.some((podPort) => conflict(used, podPort)))) return status;
        }
        return undefined;
      },
    };
  },
  eventsToRegister: ["Node/Add", "Pod/Delete"],
  queueingHint({ pod }, change) {
    if (change.resource !== "Pod") return true;
    if (!change.oldObj || !isPlaced(change.oldObj)) return false;
    const freed = hostPortsOf(change.oldObj);
    return hostPortsOf(pod).some((podPort) => freed.some((freedPort) => conflict(freedPort, podPort)));
  },
};
