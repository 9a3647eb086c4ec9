// The scheduler after an eviction, when its memory is lost.
import { expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { plugins } from "../../worker/admission/catalogue.ts";
import { openCluster } from "../../worker/cluster/cluster.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";
import { drainCarefully } from "../runtime/careful-run.ts";
import { nodeSql } from "../sqlite.ts";

test("a pod that found no node is retried when a node is added", () => {
  const sql = nodeSql();
  const before = newCluster({ sql, nodes: 0 });
  before.runUntilQuiet();
  before.client.create(pods, {
    metadata: { namespace: "default", name: "web" },
    spec: { containers: [{ name: "web", image: "nginx" }] },
  });
  before.runUntilQuiet();
  const { clock } = before;
  const report = (error: unknown) => {
    throw error;
  };
  const controllers = allControllers({ zeroDelays: true, caPem: "test" });
  const awake = openCluster({ sql, clock, random: seededRandom(2), kinds, plugins, controllers, report });
  awake.system.create(nodes, { metadata: { name: "late", annotations: { "sandbar.dev/simulated": "true" } } });
  for (let second = 0; second < 15; second++) {
    drainCarefully(awake);
    awake.runtime.drain(1000);
    clock.step(1000);
  }
  expect(awake.system.get(pods, "default", "web")?.spec.nodeName).toBe("late");
});
