// Golden timelines of flow schema: every event and every step, in order.
import { expect, test } from "vitest";
import { flowSchemas } from "../../../worker/kinds/flowcontrol/flow-schema.ts";
import { priorityLevelConfigurations } from "../../../worker/kinds/flowcontrol/priority-level-configuration.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

test("a flow schema dangles until its priority level exists", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    cluster.apply(flowSchemas, {
      metadata: { name: "mine" },
      spec: { priorityLevelConfiguration: { name: "mine" } },
    });
    step();
    const spec = { type: "Limited", limited: { limitResponse: { type: "Reject" } } };
    cluster.apply(priorityLevelConfigurations, { metadata: { name: "mine" }, spec });
    step();
    cluster.client.delete(priorityLevelConfigurations, "", "mine");
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "FlowSchema mine made",
      "FlowSchema mine: conditions [Dangling=True/NotFound]",
      "PriorityLevelConfiguration mine made",
      "FlowSchema mine: conditions [Dangling=False/Found]",
      "PriorityLevelConfiguration mine gone",
      "FlowSchema mine: conditions [Dangling=True/NotFound]",
    ]
  `);
});
