// What was told of a node when it came, by its kubelet, its kube-proxy and the node controller.
import { rfc3339Micro } from "../../../../shared/k8s/time.ts";
import { events } from "../../../kinds/core/event/event.ts";
import { nodes } from "../../../kinds/core/node/node.ts";
import { recordStart } from "../../../kubelet/node-events.ts";
import type { Client } from "../../../registry/client.ts";
import { eventRecorder } from "../../../runtime/event-recorder.ts";

/** Records the events of an existing node. */
export function tellOfNode(client: Client, name: string, nowMs: number): void {
  const recorder = (component: string) => eventRecorder(client, events, component, () => nowMs);
  recordStart(name, recorder("kubelet"));
  const node = client.get(nodes, "", name);
  if (!node) return;
  const registered = `Node ${name} event: Registered Node ${name} in Controller`;
  recorder("node-controller")(node, "Normal", "RegisteredNode", registered);
  client.create(events, {
    metadata: { namespace: "default", name: `${name}.${(BigInt(nowMs) * 1_000_000n + 500_000n).toString(16)}` },
    involvedObject: { apiVersion: "v1", kind: "Node", name, uid: name },
    reason: "Starting",
    type: "Normal",
    action: "StartKubeProxy",
    message: "",
    eventTime: rfc3339Micro(nowMs),
    reportingComponent: "kube-proxy",
    reportingInstance: `kube-proxy-${name}`,
  });
}
