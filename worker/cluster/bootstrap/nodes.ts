// The nodes of a fresh cluster, each with its lease.
import { rfc3339Micro } from "../../../shared/k8s/time.ts";
import { leases } from "../../kinds/coordination/lease.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { podRange } from "../../kinds/core/node/pod-ranges.ts";
import { machineAddress, machineAnnotations, machineLabels, machineStatus } from "../../node/parts/machine.ts";
import { simulatedAnnotation } from "../../kinds/core/node/simulated.ts";
import { type Seed, seed } from "./seed.ts";

/** `node-<from>` to `node-<count>`. */
export function* nodeSeeds(count: number, nowMs: number, from = 1): Generator<Seed> {
  for (let index = from; index <= count; index++) {
    yield node(index, nowMs);
    yield lease(index, nowMs);
  }
}

function node(index: number, nowMs: number): Seed {
  const name = `node-${index}`;
  const podCIDR = podRange(index);
  return seed(nodes, {
    metadata: {
      name,
      labels: machineLabels(name),
      annotations: { ...machineAnnotations, [simulatedAnnotation]: "true" },
    },
    spec: { podCIDR, podCIDRs: [podCIDR], providerID: `sandbar://${name}` },
    status: machineStatus({ name, address: machineAddress(index), nowMs }),
  });
}

/** Not renewed by writes: nobody doubts a simulated node. */
function lease(index: number, nowMs: number): Seed {
  const name = `node-${index}`;
  return seed(leases, {
    metadata: { name, namespace: "kube-node-lease", annotations: { [simulatedAnnotation]: "true" } },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: rfc3339Micro(nowMs) },
  });
}
