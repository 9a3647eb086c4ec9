// The selection of requests, watches and changes by the selectors and triggers of faults.
import type { FaultSelector, ObjectChange } from "../../../../shared/contract/cluster/faults.ts";
import type { FaultClient, FaultTarget } from "../../../api/faults.ts";
import type { Change } from "../../../store/change.ts";

/** Writes of these resources are the noise of every client: leader election and events. */
const uncounted = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

export function selectsClient({ user, userAgent }: FaultSelector, client: FaultClient): boolean {
  return (
    (user === undefined || user === client.user) && (userAgent === undefined || client.userAgent.startsWith(userAgent))
  );
}

/** Reports whether a selector selects a request; `occurrence` and `share` are not considered. */
export function selectsRequest(selector: FaultSelector, target: FaultTarget): boolean {
  const { verb, resource, subresource, namespace, name } = selector;
  return (
    selectsClient(selector, target) &&
    (verb === undefined || [verb].flat().some((entry) => entry === target.verb)) &&
    (resource === undefined || resource === target.resource) &&
    (subresource === undefined || subresource === target.subresource) &&
    (namespace === undefined || namespace === target.namespace) &&
    (name === undefined || name === target.name)
  );
}

/** Reports whether a write counts for a trigger. */
export function countsAsWrite(selector: FaultSelector, target: FaultTarget): boolean {
  return selectsRequest(selector, target) && (selector.resource !== undefined || !uncounted.has(target.resource));
}

/** Reports whether a selector selects the watch of a resource by a client. */
export function selectsWatch(selector: FaultSelector, client: FaultClient, resource: string): boolean {
  const { verb, resource: selected } = selector;
  const isOfVerb = verb === undefined || [verb].flat().includes("watch");
  return selectsClient(selector, client) && isOfVerb && (selected === undefined || selected === resource);
}

export function selectsObject({ resource, namespace, name }: FaultSelector, change: Change): boolean {
  return (
    (resource === undefined || resource === change.resource) &&
    (namespace === undefined || namespace === change.namespace) &&
    (name === undefined || name === change.name)
  );
}

/** Reports whether a change is one that a trigger waits for. */
export function isChange({ resource, namespace, name, change: kind }: ObjectChange, change: Change): boolean {
  if (change.resource !== resource || change.namespace !== namespace || change.name !== name) return false;
  switch (kind) {
    case "created":
      return change.type === "ADDED";
    case "deleted":
      return change.type === "DELETED";
    case "changed":
      return change.type === "MODIFIED";
    case "marked":
      // An object without finalizers is deleted at once.
      return !isMarked(change.previous) && (change.type === "DELETED" || isMarked(change.object));
  }
}

function isMarked(object: Change["previous"]): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}
