// The kind Event of the core group, in which events of events.k8s.io are stored too.
import { validatePathSegmentName } from "../../../../shared/k8s/names.ts";
import type { Event } from "../../../../shared/k8s/api/core-v1.ts";
import { age } from "../../../../shared/k8s/time.ts";
import { type Column, defineKind } from "../../kind.ts";
import { nameColumn } from "../../common/printers.ts";
import { legacyValidateEvent } from "./validation.ts";

export const eventColumns: readonly Column<Event>[] = [
  column("Last Seen", "When it was observed last.", (event, nowMs) => lastSeen(event, nowMs)),
  column("Type", "Normal or Warning.", (event) => event.type ?? ""),
  column("Reason", "Why, as one word for machines.", (event) => event.reason ?? ""),
  column("Object", "What the event is about.", ({ involvedObject: { kind = "", name } }) =>
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
  ),
  {
    ...column("Subobject", "The part of the object it is about.", (event) => event.involvedObject.fieldPath ?? ""),
    priority: 1,
  },
  { ...column("Source", "Who observed it.", source), priority: 1 },
  column("Message", "What happened, for people.", (event) => (event.message ?? "").trim()),
  { ...column("First Seen", "When it was observed first.", firstSeen), priority: 1 },
  {
    ...column(
      "Count",
      "How often it was observed.",
      (event) => event.series?.count ?? (event.series ? 0 : event.count || 1),
    ),
    priority: 1,
  },
  { ...nameColumn, priority: 1 },
];

export const events = defineKind<Event>("", "v1", "events", {
  mayUseReserve: ({ type }) => type === "Warning",
  allowCreateOnUpdate: true,
  // Upstream only requires a valid path segment as the name.
  validateName: validatePathSegmentName,
  metadataRules: "none",
  validateUpdate: (_next, _previous, check) => [...check.validate()],
  validate: (event) => legacyValidateEvent(event, "reportingComponent"),
  selectableFields: selectableEventFields,
  // The recorder finds the events about an object by this prefix.
  columns: eventColumns,
});

export function selectableEventFields({ involvedObject, ...event }: Event): Record<string, string> {
  const component = event.reportingComponent ?? "";
  return {
    "involvedObject.kind": involvedObject.kind ?? "",
    "involvedObject.namespace": involvedObject.namespace ?? "",
    "involvedObject.name": involvedObject.name ?? "",
    "involvedObject.uid": involvedObject.uid ?? "",
    "involvedObject.apiVersion": involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": involvedObject.fieldPath ?? "",
    reason: event.reason ?? "",
    reportingComponent: component,
    source: event.source.component || component,
    type: event.type ?? "",
  };
}

function column(name: string, description: string, cell: Column<Event>["cell"]): Column<Event> {
  return { name, type: "string", description, cell };
}

function firstSeen(event: Event, nowMs: number): string {
  return age(event.firstTimestamp || event.eventTime, nowMs);
}

function lastSeen(event: Event, nowMs: number): string {
  if (event.series) return age(event.series.lastObservedTime, nowMs);
  return event.lastTimestamp ? age(event.lastTimestamp, nowMs) : firstSeen(event, nowMs);
}

function source(event: Event): string {
  const component = event.source.component || event.reportingComponent || "";
  const instance = event.source.host || event.reportingInstance || "";
  return instance ? `${component}, ${instance}` : component;
}
