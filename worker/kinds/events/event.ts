// The kind Event of events.k8s.io: another form of the core Event, with stricter rules.
import type { Event as CoreEvent } from "../../../shared/k8s/api/core-v1.ts";
import type { Event } from "../../../shared/k8s/api/events-v1.ts";
import { eventColumns, events, selectableEventFields } from "../core/event/event.ts";
import { legacyValidateEvent, validateStrictCreate, validateStrictUpdate } from "../core/event/validation.ts";
import { defineKind } from "../kind.ts";

/** Fields with another name in the core group. */
const renamed: Readonly<Record<string, string>> = {
  "involvedObject.kind": "regarding.kind",
  "involvedObject.namespace": "regarding.namespace",
  "involvedObject.name": "regarding.name",
  "involvedObject.uid": "regarding.uid",
  "involvedObject.apiVersion": "regarding.apiVersion",
  "involvedObject.resourceVersion": "regarding.resourceVersion",
  "involvedObject.fieldPath": "regarding.fieldPath",
  reason: "reason",
  reportingComponent: "reportingController",
  type: "type",
};

export const eventsV1 = defineKind<Event>("events.k8s.io", "v1", "events", {
  allowCreateOnUpdate: true,
  validate(event) {
    const stored = toStorage(event);
    // An event without a resourceVersion is new. Core events are not subject to these rules.
    return [
      ...legacyValidateEvent(stored, "reportingController"),
      ...(event.metadata.resourceVersion ? [] : validateStrictCreate(stored)),
    ];
  },
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...validateStrictUpdate(toStorage(next), toStorage(previous)),
  ],
  selectableFields: (event) =>
    Object.fromEntries(
      Object.entries(selectableEventFields(toStorage(event))).flatMap(([key, value]) => {
        const name = renamed[key];
        return name ? [[name, value]] : [];
      }),
    ),
  columns: eventColumns.map((column) => ({
    ...column,
    cell: (event: Event, nowMs: number) => column.cell(toStorage(event), nowMs),
  })),
  conversion: {
    hub: events,
    storageVersion: events.version,
    toStorage,
    // The registry passes only objects that are stored under `events`.
    fromStorage: (stored) => fromStorage(stored as CoreEvent),
  },
});

function toStorage(event: Event): CoreEvent {
  const { reportingController, regarding, note, series } = event;
  return compact({
    apiVersion: "v1",
    kind: "Event",
    metadata: event.metadata,
    involvedObject: regarding,
    reason: event.reason,
    message: note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp ?? null,
    lastTimestamp: event.deprecatedLastTimestamp ?? null,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: series && compact({ count: series.count || undefined, lastObservedTime: series.lastObservedTime }),
    action: event.action,
    related: event.related,
    reportingComponent: reportingController,
    reportingInstance: event.reportingInstance,
  });
}

function fromStorage(stored: CoreEvent): Event {
  const { series } = stored;
  return compact({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: stored.metadata,
    eventTime: stored.eventTime ?? null,
    series: series && { count: series.count ?? 0, lastObservedTime: series.lastObservedTime ?? null },
    // The deprecated fields are set even if they are empty.
    reportingController: stored.reportingComponent || undefined,
    reportingInstance: stored.reportingInstance || undefined,
    action: stored.action,
    reason: stored.reason,
    regarding: stored.involvedObject,
    related: stored.related,
    note: stored.message,
    type: stored.type,
    deprecatedSource: stored.source,
    deprecatedFirstTimestamp: stored.firstTimestamp ?? null,
    deprecatedLastTimestamp: stored.lastTimestamp ?? null,
    deprecatedCount: stored.count,
  });
}

/** Removes undefined fields. */
function compact<T extends object>(object: { [Key in keyof T]: T[Key] | undefined }): T {
  // Only optional fields are undefined, so the rest has the type T.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
