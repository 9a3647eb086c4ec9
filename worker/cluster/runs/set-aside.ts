// The event that tells of a container whose output killed the cluster's process while it was worked out for a reader, on its pod.
import { PendingCalls } from "../../../shared/k8s/outbound-call.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import type { EventRecorder } from "../../runtime/events.ts";
import type { RunCache } from "./cache.ts";

export function tellOutputSetAside(cache: RunCache, client: Client, event: EventRecorder): void {
  const found = cache.setAside();
  if (!found) return;
  const { namespace, name, uid, container } = found.place;
  const pod = client.get(pods, namespace, name);
  if (!pod || pod.metadata.uid !== uid) return;
  const what = container === "" ? "the pod" : `container ${JSON.stringify(container)}`;
  const message = `Working out what ${what} does for a reader did not come to an end and ended the cluster's process; it is refused to readers until ${rfc3339(found.untilMs)}`;
  try {
    event(pod, "Warning", "OutputSetAside", message, { host: pod.spec.nodeName ?? "" });
  } catch (error) {
    // Who would have to be asked about the event is not.
    if (!(error instanceof PendingCalls)) throw error;
  }
}
