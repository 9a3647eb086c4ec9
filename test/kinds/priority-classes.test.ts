import { expect, test } from "vitest";
import { priorityClasses } from "../../worker/kinds/scheduling/priority-class.ts";
import { newCluster } from "../cluster.ts";

test("the system classes exist and cannot be deleted", () => {
  const { client, apply } = newCluster({ nodes: 0 });
  const values = client.list(priorityClasses).map(({ metadata, value }) => [metadata.name, value]);
  expect(values).toEqual([
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ]);
  expect(() => client.delete(priorityClasses, "", "system-node-critical")).toThrow(
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  );
  apply(priorityClasses, { metadata: { name: "gold" }, value: 1 });
  expect(() => client.delete(priorityClasses, "", "gold")).not.toThrow();
});
