// Events as a timeline: newest first, and which of them speak of an object.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { compareText } from "./order.ts";

/** Newest first. */
export function timeline(events: readonly Event[], namespace: string): Event[] {
  return events
    .filter(({ involvedObject, metadata }) => {
      const of = involvedObject.namespace ?? (involvedObject.kind === "Node" ? "" : metadata.namespace);
      return namespace === "" || of === namespace;
    })
    .map((event) => ({ event, at: lastSeen(event) }))
    .sort((one, other) => compareText(other.at, one.at) || revisionOf(other.event) - revisionOf(one.event))
    .map(({ event }) => event);
}

/** When it last happened; normalized, so that times compare as texts. */
export function lastSeen({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string {
  const text = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp;
  return (text ?? "").slice(0, 19);
}

export function timesSeen({ series, count }: Event): number {
  return series?.count ?? count ?? 1;
}

/** Those about an object, the newest first. */
export function eventsAbout(events: readonly Event[], object: KubeObject): Event[] {
  const { uid, name } = object.metadata;
  // Events of nodes carry the node's name for its uid.
  const isAbout = ({ involvedObject }: Event) =>
    involvedObject.kind === "Node"
      ? object.kind === "Node" && involvedObject.name === name
      : involvedObject.uid === uid;
  return timeline(events.filter(isAbout), "");
}

/** The same for many objects, of which the events are looked through once. */
export function timelineOf(events: readonly Event[]): (object: KubeObject) => readonly Event[] {
  const byUid = Map.groupBy(events, ({ involvedObject }) => involvedObject.uid ?? "");
  return ({ metadata }) => timeline(byUid.get(metadata.uid ?? "") ?? [], "");
}

/** Only breaks ties between events of one second. */
function revisionOf({ metadata }: Event): number {
  return Number(metadata.resourceVersion ?? 0);
}
