// Golden timelines of event ttl: every event and every step, in order.
import { expect, test } from "vitest";
import { events } from "../../../worker/kinds/core/event/event.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

test("an event older than an hour is deleted when the next event is written", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: (ms?: number) => void) => {
    const apply = (name: string) =>
      cluster.apply(events, {
        metadata: { name, namespace: "default" },
        involvedObject: { kind: "Pod", namespace: "default", name: "web" },
        reason: "Told",
        message: name,
        type: "Normal",
        firstTimestamp: new Date(cluster.clock.nowMs()).toISOString().replace(".000", ""),
        lastTimestamp: new Date(cluster.clock.nowMs()).toISOString().replace(".000", ""),
      });
    apply("first");
    step(61 * 60_000);
    apply("second");
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "Normal Told: first",
      "Normal Told: second",
      "Normal Told: first (gone)",
    ]
  `);
});
