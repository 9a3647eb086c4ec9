// The events as a timeline, newest first, and the selection of those about an object.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { compareText } from "./order.ts";

/** Returns the events, newest first. */
export function timeline(events: readonly Event[], namespace: string): Event[] {
  return events
    .filter(({ involvedObject, metadata }) => {
      const objectNamespace = involvedObject.namespace ?? (involvedObject.kind === "Node" ? "" : metadata.namespace);
      return namespace === "" || objectNamespace === namespace;
    })
    .map((event) => ({ event, at: lastSeen(event) }))
    .sort((left, right) => compareText(right.at, left.at) || revisionOf(right.event) - revisionOf(left.event))
    .map(({ event }) => event);
}

/** Returns the normalized time when the event last occurred, so that times can be compared as texts. */
export function lastSeen({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string {
  const text = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp;
  return (text ?? "").slice(0, 19);
}

export function timesSeen({ series, count }: Event): number {
  return series?.count ?? count ?? 1;
}

/** Returns the events about an object, newest first. */
export function eventsAbout(events: readonly Event[], object: KubeObject): Event[] {
  const { uid, name } = object.metadata;
  // Events about nodes have the node's name as uid.
  const isAbout = ({ involvedObject }: Event) =>
    involvedObject.kind === "Node"
      ? object.kind === "Node" && involvedObject.name === name
      : involvedObject.uid === uid;
  return timeline(events.filter(isAbout), "");
}

/** Returns a function with the events of an object. It indexes the events once for many objects. */
export function timelineOf(events: readonly Event[]): (object: KubeObject) => readonly Event[] {
  const byUid = Map.groupBy(events, ({ involvedObject }) => involvedObject.uid ?? "");
  return ({ metadata }) => timeline(byUid.get(metadata.uid ?? "") ?? [], "");
}

/** Orders events of the same second. */
function revisionOf({ metadata }: Event): number {
  return Number(metadata.resourceVersion ?? 0);
}
