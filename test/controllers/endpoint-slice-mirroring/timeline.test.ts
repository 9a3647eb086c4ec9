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

/** Who is reached, and how he is. */
function addresses(object: KubeObject): string {
  if (object.kind === "Endpoints") {
    const { subsets = [] } = object as Endpoints;
    const ready = subsets.flatMap((one) => (one.addresses ?? []).map(({ ip }) => ip));
    const others = subsets.flatMap((one) => (one.notReadyAddresses ?? []).map(({ ip }) => `${ip} (not ready)`));
    return [...ready, ...others].join(" ");
  }
  if (object.kind !== "EndpointSlice") return "";
  const list = (object as EndpointSlice).endpoints ?? [];
  return list
    .map(({ addresses: found, conditions }) => {
      const held = Object.entries(conditions).flatMap(([key, value]) => (value ? [key] : []));
      return `${found.join()} (${held.join(", ")})`;
    })
    .join(" ");
}

test("Endpoints made by hand are mirrored, as long as they are there", () => {
  const cluster = quietCluster({ nodes: 0 });
  cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 5432 }] } });
  cluster.step(0);
  const happen = (step: () => void) => {
    const ports = [{ port: 5432 }];
    cluster.apply(endpoints, { metadata, subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports }] });
    step();
    cluster.edit(endpoints, "default", "web", ({ subsets = [] }) => {
      for (const one of subsets) one.notReadyAddresses = [{ ip: "192.0.2.2" }];
    });
    step();
    cluster.client.delete(endpoints, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: ["default"], shown: addresses })).toMatchInlineSnapshot(`
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
