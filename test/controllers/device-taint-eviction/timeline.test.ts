// Golden timelines of device taint eviction: every event and every step, in order.
import { expect, test } from "vitest";
import { resourceSlices } from "../../../worker/kinds/resource/resource-slice.ts";
import { quietCluster } from "../../cluster.ts";
import { allocate, applyClaim as applyDeviceClaim, applyClass, applyPod } from "../resource-claim/devices.ts";
import { brief } from "../story.ts";

test("a pod is evicted from a tainted device", () => {
  const cluster = quietCluster({ nodes: 1 });
  applyClass(cluster);
  applyDeviceClaim(cluster, "shared");
  allocate(cluster, "shared", { node: "node-1" });
  applyPod(cluster, "web", { resourceClaimName: "shared" }, { nodeName: "node-1" });
  cluster.runUntilQuiet();
  const lines = brief(cluster, () => {
    const slice = cluster.client.list(resourceSlices)[0]?.metadata.name ?? "";
    cluster.edit(resourceSlices, "", slice, ({ spec }) => {
      for (const device of spec.devices ?? []) device.taints = [{ key: "broken", effect: "NoExecute" }];
    });
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "Normal DeviceTaintManagerEviction: Marking for deletion",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "ResourceClaim shared: -allocation, -reservedFor, -devices",
    ]
  `);
});
