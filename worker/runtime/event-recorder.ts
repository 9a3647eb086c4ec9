// Records events as upstream's recorder and correlator do: a repeated event raises its count and last time. The recorder has no memory. It
// looks up the earlier events about the object, so counts survive eviction.
import { rfc3339, rfc3339Micro } from "../../shared/k8s/time.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Event, ObjectReference } from "../../shared/k8s/api/core-v1.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../registry/client.ts";
import { correlate, isCombined } from "./event-correlation.ts";
import { repetitionOf } from "./event-series.ts";
import type { EventOptions, EventRecorder } from "./events.ts";

/** The namespace of events about cluster-scoped objects. */
const defaultNamespace = "default";
/** The host name of control plane components. */
const controlPlane = "control-plane";
/** The maximum length of a message. Longer ones are cut, as upstream. */
const maxMessageLength = 1024;

export function eventRecorder(
  client: Client,
  events: Kind<Event>,
  component: string,
  nowMs: () => number,
): EventRecorder {
  return (object, type, reason, message, options = {}) => {
    try {
      const occurrence = { object, type, reason, message, options };
      if (options.action === undefined) record(client, events, component, nowMs(), occurrence);
      else recordAction(client, events, component, nowMs(), { ...occurrence, action: options.action });
    } catch (error) {
      // As upstream, an event that cannot be written (its namespace is terminating) is dropped.
      if (!(error instanceof ApiError)) throw error;
    }
  };
}

interface Occurrence {
  readonly object: KubeObject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly options: EventOptions;
}

function record(client: Client, events: Kind<Event>, component: string, nowMs: number, occurrence: Occurrence): void {
  const { object, type, reason, message, options } = occurrence;
  const { namespace = "", name: objectName = "", uid = "" } = object.metadata;
  const source = { component, ...(options.host ? { host: options.host } : {}) };
  const time = rfc3339(nowMs);
  const eventNamespace = namespace || defaultNamespace;
  const prefix = `${objectName.slice(0, 236)}.`;
  const sameNameEvents = client.beginningWith(events, eventNamespace, prefix);
  const earlierEvents = sameNameEvents.filter(
    (event) =>
      event.involvedObject.uid === uid && event.source.component === component && event.source.host === options.host,
  );
  const text = message.slice(0, maxMessageLength);
  const correlation = correlate(earlierEvents, { type, reason, message: text, fieldPath: options.fieldPath }, nowMs);
  if ("dropped" in correlation) return;
  if ("again" in correlation) {
    const { again: repeatedEvent } = correlation;
    client.update(events, {
      ...repeatedEvent,
      message: correlation.message,
      count: (repeatedEvent.count ?? 0) + 1,
      lastTimestamp: time,
    });
    return;
  }
  client.create(events, {
    metadata: { namespace: eventNamespace, name: nameOf(prefix, sameNameEvents, nowMs) },
    involvedObject: { ...referenceTo(object), ...(options.fieldPath ? { fieldPath: options.fieldPath } : {}) },
    reason,
    message: correlation.message.slice(0, maxMessageLength),
    source,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    eventTime: null,
    // Upstream's aggregator creates a new combined event without this field.
    reportingComponent: isCombined(correlation.message) ? "" : component,
    reportingInstance: isCombined(correlation.message) ? "" : (options.host ?? ""),
  });
}

/** Records an event in the form of events.k8s.io. It has an action and a reporter, and repetitions are counted in a series. */
function recordAction(
  client: Client,
  events: Kind<Event>,
  component: string,
  nowMs: number,
  { object, type, reason, message, options, action }: Occurrence & { readonly action: string },
): void {
  const { namespace = "", name = "" } = object.metadata;
  const eventNamespace = namespace || defaultNamespace;
  const prefix = `${name.slice(0, 236)}.`;
  const sameNameEvents = client.beginningWith(events, eventNamespace, prefix);
  const time = rfc3339Micro(nowMs);
  const event = {
    involvedObject: referenceTo(object),
    ...(options.related ? { related: referenceTo(options.related) } : {}),
    reason,
    type,
    action,
    reportingComponent: component,
    reportingInstance: `${component}-${controlPlane}`,
  };
  const repeatedEvent = repetitionOf(sameNameEvents, event, nowMs);
  if (repeatedEvent) client.update(events, repeatedEvent);
  else {
    client.create(events, {
      ...event,
      metadata: { namespace: eventNamespace, name: nameOf(prefix, sameNameEvents, nowMs) },
      message: message.slice(0, maxMessageLength),
      eventTime: time,
    });
  }
}

function referenceTo({ kind, apiVersion, metadata }: KubeObject): ObjectReference {
  const { namespace, name = "", uid = "", resourceVersion } = metadata;
  return {
    kind,
    apiVersion,
    name,
    uid,
    ...(namespace ? { namespace } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Returns a name as upstream does: the object's name and the time in hexadecimal nanoseconds. So names sort by time. */
function nameOf(prefix: string, sameNameEvents: readonly Event[], nowMs: number): string {
  const taken = new Set(sameNameEvents.map(({ metadata }) => metadata.name));
  for (let nanos = BigInt(nowMs) * 1_000_000n; ; nanos += 1000n) {
    const name = prefix + nanos.toString(16);
    if (!taken.has(name)) return name;
  }
}
