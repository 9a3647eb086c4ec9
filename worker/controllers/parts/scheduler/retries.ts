// Which pods that found no node are worth another try after a change (upstream: the queueing hints). They are asked for only when
// a change matters, since the picture that knows them may have to be built.
import type { Node, Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../../kinds/nodes.ts";
import { pods } from "../../../kinds/pods.ts";
import type { Client } from "../../../registry/client.ts";
import type { Request } from "../../../runtime/controller.ts";
import { cycleOf } from "./cycle.ts";
import { noNodesMessage } from "./fit-error.ts";
import { failureOf } from "./pending.ts";
import { plugins } from "./plugins.ts";
import { fits } from "./schedule.ts";
import { Snapshot, type Waiting } from "./snapshot.ts";

type WaitingPods = Snapshot["waiting"];

/** With more pods waiting than this, every change that may help is taken to help. */
const checkedPods = 50;

/** After a node appeared, went, or changed in what the scheduler looks at. */
export function* afterNode(
  next: Node | undefined,
  previous: Node | undefined,
  waitingPods: () => WaitingPods,
  client: Client,
): Generator<Request> {
  if (next && previous && !isRelevant(next, previous)) return;
  const waiting = waitingPods();
  for (const one of waiting.values()) {
    if (one.hasPodConstraints || (next && isWorthIt(next, one, waiting.size, client))) yield one;
  }
}

/** After a pod left a node, took one, or changed its labels. */
export function* afterPod(
  next: Pod | undefined,
  previous: Pod | undefined,
  waitingPods: () => WaitingPods,
  client: Client,
): Generator<Request> {
  const wasThere = occupies(previous);
  const isThere = occupies(next);
  if (!wasThere && !isThere) return;
  if (wasThere && !isThere) {
    const node = client.get(nodes, "", previous?.spec.nodeName ?? "");
    const waiting = waitingPods();
    for (const one of waiting.values()) {
      if (one.hasPodConstraints || (node && isWorthIt(node, one, waiting.size, client))) yield one;
    }
    return;
  }
  const isNew = !wasThere || JSON.stringify(next?.metadata.labels) !== JSON.stringify(previous?.metadata.labels);
  if (!isNew) return;
  for (const one of waitingPods().values()) if (one.hasPodConstraints) yield one;
}

function occupies(pod: Pod | undefined): boolean {
  return Boolean(pod?.spec.nodeName) && pod?.status.phase !== "Succeeded" && pod?.status.phase !== "Failed";
}

/** Where many wait, trying each once costs less than asking for each change whether it helps. */
function isWorthIt(node: Node, pod: Waiting, waiting: number, client: Client): boolean {
  return waiting > checkedPods || helps(node, pod, client);
}

/** Whether the pod would fit the node if nothing else ran there; if not, this node's change is nothing to it. */
function helps(node: Node, { namespace, name }: Waiting, client: Client): boolean {
  const pod = client.get(pods, namespace, name);
  if (!pod) return false;
  if (failureOf(pod) === noNodesMessage) return true;
  const alone = new Snapshot();
  alone.setNode(node);
  const info = alone.node(node.metadata.name ?? "");
  return info !== undefined && fits(cycleOf(pod, alone, client), plugins, info);
}

function isRelevant(next: Node, previous: Node): boolean {
  const parts = ({ metadata, spec, status }: Node) =>
    JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status.allocatable]);
  return parts(next) !== parts(previous);
}
