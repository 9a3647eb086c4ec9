// Records the event for a request that killed the cluster's process, on the object of the request.
import { rfc3339 } from "../../shared/k8s/time.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Client } from "../registry/client.ts";
import type { Controller, Request } from "./controller.ts";
import type { EventRecorder } from "./events.ts";

export const setAsideReason = "ReconcileSetAside";

/** Records the event. Does nothing if no object with the name exists. */
export function recordSetAside(
  {
    controller,
    client,
    event,
  }: { readonly controller: Controller; readonly client: Client; readonly event: EventRecorder },
  request: Request,
  untilMs: number,
): void {
  try {
    const object = objectOf(controller, client, request);
    const what = `Reconciling by ${JSON.stringify(controller.name)} did not come to an end and ended the cluster's process`;
    const until = `it is set aside until ${rfc3339(untilMs)}, or until something about it changes`;
    if (object) event(object, "Warning", setAsideReason, `${what}; ${until}`);
  } catch (error) {
    // If the event needs an outbound call, it is dropped.
    if (!(error instanceof PendingCalls)) throw error;
  }
}

/** Finds the object of a request: of the kind that a watch names, otherwise of a watched kind. */
function objectOf({ watches }: Controller, client: Client, { namespace, name }: Request): KubeObject | undefined {
  const kinds = new Set([...watches.flatMap(({ about }) => about ?? []), ...watches.map(({ kind }) => kind)]);
  for (const kind of kinds) {
    const object = kind.namespaced === (namespace !== "") ? client.get(kind, namespace, name) : undefined;
    if (object) return object;
  }
  return undefined;
}
