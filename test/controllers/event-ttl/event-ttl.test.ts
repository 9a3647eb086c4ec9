// Events are deleted an hour after their last write, and never keep an idle cluster awake.
import { describe, expect, test } from "vitest";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { eventTtlController } from "../../../worker/controllers/event-ttl.ts";
import { events } from "../../../worker/kinds/core/event/event.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const minute = 60_000;

function cluster() {
  return newCluster({ controllers: [eventTtlController] });
}

function happen(at: TestCluster, name: string): void {
  const time = rfc3339(at.clock.nowMs());
  const involvedObject = { kind: "Pod", namespace: "default", name: "p", apiVersion: "v1" };
  at.apply(events, {
    metadata: { namespace: "default", name },
    involvedObject,
    reason: "R",
    message: "m",
    type: "Normal",
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: "test" },
  });
  at.runUntilQuiet();
}

function names(at: TestCluster): string[] {
  return at.client.list(events).map(({ metadata }) => metadata.name ?? "");
}

describe("an event older than an hour", () => {
  test("is deleted when the next event is written, not by a timer", () => {
    const at = cluster();
    happen(at, "old");
    expect(at.runtime.nextDueMs()).toBeUndefined();
    at.step(61 * minute);
    expect(names(at)).toEqual(["old"]);
    happen(at, "new");
    expect(names(at)).toEqual(["new"]);
    expect(at.runtime.nextDueMs()).toBeUndefined();
  });

  test("stays if it was repeated", () => {
    const at = cluster();
    happen(at, "repeated");
    at.step(50 * minute);
    at.edit(events, "default", "repeated", (draft) => {
      draft.count = 2;
      draft.lastTimestamp = rfc3339(at.clock.nowMs());
    });
    at.step(20 * minute);
    happen(at, "new");
    expect(names(at)).toEqual(["new", "repeated"]);
  });

  test("is deleted in few sweeps among many events", () => {
    const at = cluster();
    happen(at, "first");
    at.step(minute);
    for (let count = 0; count < 20; count++) happen(at, `e-${count}`);
    // The oldest event is due in 59 minutes, so no sweep runs before.
    at.apply(events, {
      metadata: { namespace: "default", name: "last" },
      involvedObject: { kind: "Pod", namespace: "default", name: "p" },
      source: { component: "test" },
      lastTimestamp: rfc3339(at.clock.nowMs()),
    });
    expect(at.runtime.drain(10)).toBe(0);
  });
});
