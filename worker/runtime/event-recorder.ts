// Records events as upstream's recorder and correlator do: the same event again raises its count and last time.
//
// An event's name is a hash of what makes two events the same, so the recorder needs no memory: after the cluster slept it
// finds the earlier event by its name.
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../registry/client.ts";
import type { EventOptions, EventRecorder } from "./events.ts";
import { hash64 } from "./hash.ts";

/** `namespace default` holds the events of cluster-scoped objects. */
const defaultNamespace = "default";

export function eventRecorder(
  client: Client,
  events: Kind<Event>,
  component: string,
  nowMs: () => number,
): EventRecorder {
  return (object, type, reason, message, options = {}) => {
    try {
      record(client, events, component, nowMs(), { object, type, reason, message, options });
    } catch (error) {
      // As upstream: an event that cannot be written (its namespace is going) is dropped.
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
  const identity = [component, options.host, uid, object.kind, objectName, options.fieldPath, type, reason, message];
  const name = `${objectName.slice(0, 236)}.${hash64(identity.join("\n"))}`;
  const time = rfc3339(nowMs);
  const eventNamespace = namespace || defaultNamespace;
  const existing = client.get(events, eventNamespace, name);
  if (existing) {
    client.update(events, { ...existing, count: (existing.count ?? 0) + 1, lastTimestamp: time });
    return;
  }
  client.create(events, {
    metadata: { namespace: eventNamespace, name },
    involvedObject: {
      kind: object.kind,
      apiVersion: object.apiVersion,
      name: objectName,
      uid,
      ...(namespace ? { namespace } : {}),
      ...(object.metadata.resourceVersion ? { resourceVersion: object.metadata.resourceVersion } : {}),
      ...(options.fieldPath ? { fieldPath: options.fieldPath } : {}),
    },
    reason,
    message: message.slice(0, 1024),
    source,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: options.host ?? "",
  });
}
