// The event that tells of a request which killed the cluster's process, on the object that it is for.
import { rfc3339 } from "../../shared/k8s/time.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Client } from "../registry/client.ts";
import type { Controller, Request } from "./controller.ts";
import type { EventRecorder } from "./events.ts";

export const setAsideReason = "ReconcileSetAside";

/** Nothing is told where no object of that name is found. */
export function tellSetAside(
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
    // Who would have to be asked about the event is not.
    if (!(error instanceof PendingCalls)) throw error;
  }
}

/** Requests are names: of the kind that a watch says, or else of a kind that is watched. */
function objectOf({ watches }: Controller, client: Client, { namespace, name }: Request): KubeObject | undefined {
  const kinds = new Set([...watches.flatMap(({ about }) => about ?? []), ...watches.map(({ kind }) => kind)]);
  for (const kind of kinds) {
    const found = kind.namespaced === (namespace !== "") ? client.get(kind, namespace, name) : undefined;
    if (found) return found;
  }
  return undefined;
}
