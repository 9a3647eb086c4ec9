// The cached node facts: always current, though nodes are read once.
import { expect, test } from "vitest";
import { NodeCache } from "../../../worker/controllers/daemon-set/node-facts.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { bed } from "../bed.ts";

function fixture() {
  const { cluster } = bed([], ["b", "a"]);
  let reads = 0;
  const { client } = cluster;
  const counting = Object.assign(Object.create(client) as typeof client, {
    each: (...query: Parameters<typeof client.each>) => (reads++, client.each(...query)),
  });
  const remembered = new NodeCache();
  const describeNodes = () =>
    remembered.list(counting).map(({ name, labels }) => `${name} ${labels["at"] ?? ""}`.trim());
  const label = (name: string, at: string) =>
    cluster.edit(nodes, "", name, ({ metadata }) => (metadata.labels = { ...metadata.labels, at }));
  return { cluster, client, remembered, told: describeNodes, label, reads: () => reads };
}

test("B2: nodes are read once, and updated by every change in the order of names", () => {
  const { cluster, client, remembered, told: describeNodes, label, reads } = fixture();
  expect(describeNodes()).toEqual(["a", "b"]);
  const before = cluster.get(nodes, "", "a");
  remembered.applyChange(label("a", "1"), before);
  remembered.applyChange(client.create(nodes, { metadata: { name: "ab" } }), undefined);
  remembered.applyChange(undefined, cluster.get(nodes, "", "b"));
  expect(describeNodes()).toEqual(["a 1", "ab"]);
  expect(reads()).toBe(1);
});

test("Q10: a repeated change reverts nothing", () => {
  const { cluster, client, remembered, told: describeNodes, label } = fixture();
  const old = cluster.get(nodes, "", "a");
  client.delete(nodes, "", "a");
  client.create(nodes, { metadata: { name: "a" } });
  label("a", "2");
  expect(describeNodes()).toEqual(["a 2", "b"]);
  remembered.applyChange(old, undefined);
  remembered.applyChange(undefined, old);
  expect(describeNodes()).toEqual(["a 2", "b"]);
});
