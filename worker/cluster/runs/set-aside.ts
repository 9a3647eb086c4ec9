// Records an event on the pod of a container that killed the cluster's process while its output was computed.
import { PendingCalls } from "../../../shared/k8s/outbound-call.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import type { EventRecorder } from "../../runtime/events.ts";
import type { RunCache } from "./cache.ts";

export function tellOutputSetAside(cache: RunCache, client: Client, event: EventRecorder): void {
  const crashed = cache.setAside();
  if (!crashed) return;
  const { namespace, name, uid, container } = crashed.place;
  const pod = client.get(pods, namespace, name);
  if (!pod || pod.metadata.uid !== uid) return;
  const what = container === "" ? "the pod" : `container ${JSON.stringify(container)}`;
  const message = `Computing what ${what} does for a reader did not finish and ended the cluster's process; it is refused to readers until ${rfc3339(crashed.untilMs)}`;
  try {
    event(pod, "Warning", "OutputSetAside", message, { host: pod.spec.nodeName ?? "" });
  } catch (error) {
    // An admission webhook would have to be called for the event. The event is dropped instead.
    if (!(error instanceof PendingCalls)) throw error;
  }
}
