// What the API finds in the containers: the simulated kubelet's answers, for the pods as they are stored.
import type { Containers } from "../api/containers.ts";
import { clusterView } from "../node/network/cluster-view.ts";
import { containerOutput } from "../node/output.ts";
import type { Clock } from "../../shared/base/clock.ts";
import type { Client } from "../registry/client.ts";

export function simulatedContainers(client: Client, clock: Clock): Containers {
  const view = clusterView(client);
  return {
    printed: (pod, container, previous) => {
      const output = containerOutput(pod, container, view, clock.nowMs(), previous);
      return output && { lines: output.lines, hasEnded: output.end !== undefined };
    },
  };
}
