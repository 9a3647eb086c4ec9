// How much one drain does.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { defineController, self } from "../../worker/runtime/controller.ts";
import { newCluster } from "../cluster.ts";

const namespace = "kube-system";

function clusterOf(writes: (name: string) => number) {
  const seen: string[] = [];
  const controller = defineController({
    name: "writer",
    component: "writer",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("ask-") ?? false)],
    reconcile({ name }, { client }) {
      seen.push(name);
      for (let index = 0; index < writes(name); index++)
        client.create(configMaps, { metadata: { namespace, generateName: "made-" } });
      return undefined;
    },
  });
  const cluster = newCluster({ nodes: 0, controllers: [controller] });
  cluster.runUntilQuiet();
  for (const name of ["ask-1", "ask-2", "ask-3"]) cluster.apply(configMaps, { metadata: { namespace, name } });
  return { cluster, seen };
}

test("a drain does as many usual reconciles as it is let do", () => {
  const { cluster, seen } = clusterOf(() => limits.writesPerReconcile);
  expect(cluster.runtime.drain(2)).toBe(2);
  expect(seen).toEqual(["ask-1", "ask-2"]);
});

test("a reconcile that writes much counts for many, and what is left is left to the next drain", () => {
  const { cluster, seen } = clusterOf((name) => (name === "ask-1" ? 10 * limits.writesPerReconcile : 1));
  expect(cluster.runtime.drain(5)).toBe(10);
  expect(seen).toEqual(["ask-1"]);
  expect(cluster.runtime.drain(5)).toBe(2);
  expect(seen).toEqual(["ask-1", "ask-2", "ask-3"]);
});
