// Golden timelines of endpoint slice: every event and every step, in order.
import { expect, test } from "vitest";
import type { Endpoints } from "../../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

const labels = { app: "web" };

const containers = [{ name: "c", image: "nginx:1" }];

/** Returns the addresses with their readiness. */
function addresses(object: KubeObject): string {
  if (object.kind === "Endpoints") {
    const { subsets = [] } = object as Endpoints;
    const ready = subsets.flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip));
    const notReady = subsets.flatMap((subset) => (subset.notReadyAddresses ?? []).map(({ ip }) => `${ip} (not ready)`));
    return [...ready, ...notReady].join(" ");
  }
  if (object.kind !== "EndpointSlice") return "";
  const list = (object as EndpointSlice).endpoints ?? [];
  return list
    .map(({ addresses: endpointAddresses, conditions }) => {
      const held = Object.entries(conditions).flatMap(([key, value]) => (value ? [key] : []));
      return `${endpointAddresses.join()} (${held.join(", ")})`;
    })
    .join(" ");
}

test("a Service's endpoints and slice follow its pod", () => {
  const cluster = quietCluster({ nodes: 1 });
  const happen = (step: () => void) => {
    cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", selector: labels, ports: [{ port: 80 }] } });
    step();
    cluster.apply(pods, { metadata: { ...metadata, labels }, spec: { containers } });
    step();
    cluster.client.delete(pods, "default", "web");
    step();
    cluster.client.delete(services, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: ["default"], describe: addresses })).toMatchInlineSnapshot(`
    [
      "Service web made",
      "Endpoints web made",
      "EndpointSlice web-? made",
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Endpoints web has 10.244.1.4",
      "EndpointSlice web-? has 10.244.1.4 (ready, serving)",
      "Pod web terminating",
      "Endpoints web has nothing",
      "EndpointSlice web-? has 10.244.1.4 (serving, terminating)",
      "Pod web Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web gone",
      "EndpointSlice web-? has nothing",
      "Service web gone",
      "Endpoints web gone",
      "EndpointSlice web-? gone",
    ]
  `);
});
