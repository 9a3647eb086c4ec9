// Golden timelines of resource claim: every event and every step, in order.
import { expect, test } from "vitest";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { resourceClaims } from "../../../worker/kinds/resource/resource-claim.ts";
import { quietCluster } from "../../cluster.ts";
import { allocate, applyClass, applyPod, applyTemplate } from "./devices.ts";
import { brief } from "../story.ts";

test("a pod's device claim is created, allocated, and deleted with the pod", () => {
  const cluster = quietCluster({ nodes: 1 });
  const lines = brief(cluster, (step) => {
    applyClass(cluster);
    applyTemplate(cluster);
    const pod = applyPod(cluster, "web", { resourceClaimTemplateName: "gpu" }, { nodeName: "node-1" });
    step();
    const [claim] = cluster.client.list(resourceClaims, { namespace: "default" });
    allocate(cluster, claim?.metadata.name ?? "", { node: "node-1", user: pod });
    step();
    cluster.client.delete(pods, "default", "web");
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "DeviceClass gpu.sandbar.dev made",
      "ResourceClaimTemplate gpu made",
      "Pod web made",
      "ResourceSlice node-1-gpu.sandbar.dev-? made",
      "ResourceClaim web-gpu-? made",
      "Warning FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: pod web (#) is not allowed to use ResourceClaim web-gpu-? (#)",
      "ResourceClaim web-gpu-?: allocation {devices 1}, reservedFor [item]",
      "ResourceClaim web-gpu-?: devices [item]",
      "Pod web Running",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "ResourceClaim web-gpu-?: -allocation, -reservedFor, -devices",
      "ResourceClaim web-gpu-? gone",
    ]
  `);
});
