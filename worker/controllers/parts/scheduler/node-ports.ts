// NodePorts: a host port is claimed once on each node.
import { conflict } from "./host-ports.ts";
import type { Plugin, Rejection } from "./plugin.ts";

const rejection: Rejection = {
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  isResolvable: true,
};

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
};
