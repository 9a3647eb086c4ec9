// Flow schemas and their priority levels.
import { expect, test } from "vitest";
import { flowSchemaController } from "../../../worker/controllers/flow-schema.ts";
import { flowSchemas } from "../../../worker/kinds/flowcontrol/flow-schema.ts";
import { priorityLevelConfigurations } from "../../../worker/kinds/flowcontrol/priority-level-configuration.ts";
import { newCluster } from "../../cluster.ts";

const references = 'This FlowSchema references the PriorityLevelConfiguration object named "mine"';

function settled() {
  const cluster = newCluster({ nodes: 0, controllers: [flowSchemaController] });
  cluster.step(0);
  const dangling = (name: string) => {
    const [condition, ...otherConditions] = cluster.get(flowSchemas, "", name).status.conditions ?? [];
    expect(otherConditions).toEqual([]);
    return condition;
  };
  return { cluster, dangling };
}

test("the condition shows whether the level exists, and follows its changes", () => {
  const { cluster, dangling } = settled();
  const spec = { priorityLevelConfiguration: { name: "mine" } };
  cluster.client.create(flowSchemas, { metadata: { name: "a" }, spec });
  cluster.step(0);
  expect(dangling("a")).toMatchObject({
    type: "Dangling",
    status: "True",
    reason: "NotFound",
    message: `${references} but there is no such object`,
  });
  const level = { type: "Limited", limited: { limitResponse: { type: "Reject" } } };
  cluster.client.create(priorityLevelConfigurations, { metadata: { name: "mine" }, spec: level });
  cluster.step(0);
  expect(dangling("a")).toMatchObject({ status: "False", reason: "Found", message: `${references} and it exists` });
  cluster.client.delete(priorityLevelConfigurations, "", "mine");
  cluster.step(0);
  expect(dangling("a")?.status).toBe("True");
});

test("the schemas of a new cluster do not dangle, and are written once", () => {
  const { cluster, dangling } = settled();
  for (const { metadata } of cluster.client.list(flowSchemas)) {
    expect(dangling(metadata.name ?? "")).toMatchObject({ status: "False", reason: "Found" });
  }
  const { revision } = cluster.registry.store;
  cluster.step(60_000);
  expect(cluster.registry.store.revision).toBe(revision);
});
