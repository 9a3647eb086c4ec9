import { expect, test } from "vitest";
import type { Event as CoreEvent } from "../../shared/k8s/api/core-v1.ts";
import { decode } from "../../shared/schema/decode.ts";
import { eventsV1 } from "../../worker/kinds/events/event.ts";
import { events } from "../../worker/kinds/core/event/event.ts";

const core = decode(events.type, {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "web.1", namespace: "default" },
  involvedObject: { kind: "Pod", name: "web", namespace: "default" },
  reason: "Pulled",
  message: "done",
  source: { component: "kubelet", host: "n1" },
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:01:00Z",
  count: 2,
  type: "Normal",
  eventTime: "2026-01-01T00:00:00.000000Z",
  series: { count: 2, lastObservedTime: "2026-01-01T00:01:00.000000Z" },
  action: "Pulling",
  related: { kind: "Node", name: "n1" },
  reportingComponent: "kubelet",
  reportingInstance: "n1",
}).object as CoreEvent;

test("an event goes to events.k8s.io and back unchanged", () => {
  const conversion = eventsV1.conversion;
  const converted = conversion?.fromStorage(core);
  expect(converted).toEqual(
    decode(eventsV1.type, {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: core.metadata,
      eventTime: core.eventTime,
      series: core.series,
      reportingController: "kubelet",
      reportingInstance: "n1",
      action: "Pulling",
      reason: "Pulled",
      regarding: core.involvedObject,
      related: core.related,
      note: "done",
      type: "Normal",
      deprecatedSource: core.source,
      deprecatedFirstTimestamp: core.firstTimestamp,
      deprecatedLastTimestamp: core.lastTimestamp,
      deprecatedCount: 2,
    }).object,
  );
  expect(converted && conversion?.toStorage(converted)).toEqual(core);
});

test("field selectors use the field names of each version", () => {
  const converted = eventsV1.conversion?.fromStorage(core);
  expect(converted && eventsV1.selectableFields?.(converted)).toMatchObject({
    "regarding.kind": "Pod",
    reportingController: "kubelet",
    reason: "Pulled",
    type: "Normal",
  });
  expect(events.selectableFields?.(core)).toMatchObject({ "involvedObject.name": "web", source: "kubelet" });
});
