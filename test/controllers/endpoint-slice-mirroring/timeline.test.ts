// Golden timelines of endpoint slice mirroring: every event and every step, in order.
import { expect, test } from "vitest";
import type { Endpoints } from "../../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { endpoints } from "../../../worker/kinds/core/endpoints.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

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

test("user-created Endpoints are mirrored as long as they exist", () => {
  const cluster = quietCluster({ nodes: 0 });
  cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 5432 }] } });
  cluster.step(0);
  const happen = (step: () => void) => {
    const ports = [{ port: 5432 }];
    cluster.apply(endpoints, { metadata, subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports }] });
    step();
    cluster.edit(endpoints, "default", "web", ({ subsets = [] }) => {
      for (const subset of subsets) subset.notReadyAddresses = [{ ip: "192.0.2.2" }];
    });
    step();
    cluster.client.delete(endpoints, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: ["default"], describe: addresses })).toMatchInlineSnapshot(`
    [
      "Endpoints web made",
      "Endpoints web has 192.0.2.1",
      "EndpointSlice web-? made",
      "EndpointSlice web-? has 192.0.2.1 (ready)",
      "Endpoints web has 192.0.2.1 192.0.2.2 (not ready)",
      "EndpointSlice web-? has 192.0.2.1 (ready) 192.0.2.2 ()",
      "Endpoints web gone",
      "EndpointSlice web-? gone",
    ]
  `);
});
