// The nodes of a fresh cluster, each with its lease.
import { rfc3339Micro } from "../../../shared/k8s/time.ts";
import { type NodeSpec, nameOfNode } from "../../../shared/contract/node-spec.ts";
import { leases } from "../../kinds/coordination/lease.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import type { Release } from "../../../shared/k8s/settings/release.ts";
import type { Client } from "../../registry/client.ts";
import { podRange } from "../../../shared/k8s/settings/cluster-network.ts";
import { machineAddress, machineAnnotations, machineLabels, machineStatus } from "../../machine/machine.ts";
import { simulatedAnnotation } from "../../kinds/core/node/simulated.ts";
import { type Seed, seed } from "./seed.ts";

export interface NodeSeeds {
  /** Default: 1. */
  readonly from?: number;
  readonly to: number;
  readonly nowMs: number;
  /** The specifications of the nodes, if they differ from the default. */
  readonly machines?: readonly NodeSpec[] | undefined;
}

/** `node-<from>` to `node-<to>`. */
export function* nodeSeeds(
  { network, release }: Pick<Client, "network" | "release">,
  { from = 1, to, nowMs, machines = [] }: NodeSeeds,
): Generator<Seed> {
  for (let index = from; index <= to; index++) {
    const machine = machines[index - 1] ?? (index === 1 ? controlPlane : usual);
    const name = nameOfNode(machine, index - 1);
    yield node({ index, name, nowMs, podCIDR: podRange(network, index), release }, machine);
    yield { ...lease(name, nowMs), isOwnedByLast: true };
  }
}

const usual: NodeSpec = { labels: {}, taints: [], capacity: {} };
/** Runs the static pods of the control plane, and takes any other pod: it has no taint. */
const controlPlane: NodeSpec = { ...usual, labels: { "node-role.kubernetes.io/control-plane": "" } };

interface Numbered {
  readonly index: number;
  readonly name: string;
  readonly nowMs: number;
  readonly podCIDR: string;
  readonly release: Release;
}

function node({ index, name, nowMs, podCIDR, release }: Numbered, { labels, taints, capacity }: NodeSpec): Seed {
  const status = machineStatus({ name, address: machineAddress(index), nowMs, release });
  return seed(nodes, {
    metadata: {
      name,
      labels: { ...machineLabels(name), ...labels },
      annotations: { ...machineAnnotations, [simulatedAnnotation]: "true" },
    },
    spec: {
      podCIDR,
      podCIDRs: [podCIDR],
      providerID: `sandbar://${name}`,
      ...(taints.length > 0
        ? { taints: taints.map(({ value, ...taint }) => ({ ...taint, ...(value ? { value } : {}) })) }
        : {}),
    },
    status: {
      ...status,
      capacity: { ...status.capacity, ...capacity },
      allocatable: { ...status.allocatable, ...capacity },
    },
  });
}

/** Not renewed by writes: nobody doubts a simulated node. */
function lease(name: string, nowMs: number): Seed {
  return seed(leases, {
    metadata: { name, namespace: "kube-node-lease", annotations: { [simulatedAnnotation]: "true" } },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: rfc3339Micro(nowMs) },
  });
}
