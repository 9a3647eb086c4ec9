import { describe, expect, test } from "vitest";
import { endpointSlices } from "../../../worker/kinds/discovery/endpoint-slice.ts";
import { endpoints } from "../../../worker/kinds/core/endpoints.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const metadata = { name: "db", namespace: "default" };
const subsets = [
  { addresses: [{ ip: "192.0.2.1" }], notReadyAddresses: [{ ip: "192.0.2.2" }], ports: [{ port: 5432 }] },
];

function clusterWithService(): TestCluster {
  const cluster = newCluster({ nodes: 0 });
  cluster.apply(services, { metadata, spec: { ports: [{ port: 5432 }] } });
  cluster.step(0);
  return cluster;
}

const slicesOf = (cluster: TestCluster) =>
  cluster.client.list(endpointSlices, { namespace: "default" }).filter((slice) => slice.metadata.name !== "kubernetes");

describe("the endpoint slice mirroring controller", () => {
  test("mirrors the Endpoints of a Service without a selector as a slice", () => {
    const cluster = clusterWithService();
    cluster.apply(endpoints, { metadata: { ...metadata, labels: { tier: "data" } }, subsets });
    cluster.step(0);
    const [slice, ...otherSlices] = slicesOf(cluster);
    expect(otherSlices).toEqual([]);
    expect(slice).toMatchObject({
      addressType: "IPv4",
      ports: [{ name: "", port: 5432, protocol: "TCP" }],
      endpoints: [
        { addresses: ["192.0.2.1"], conditions: { ready: true } },
        { addresses: ["192.0.2.2"], conditions: { ready: false } },
      ],
    });
    expect(slice?.metadata.labels).toMatchObject({
      tier: "data",
      "kubernetes.io/service-name": "db",
      "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    });
  });

  test("updates the slice with the Endpoints, under the same name", () => {
    const cluster = clusterWithService();
    cluster.apply(endpoints, { metadata, subsets });
    cluster.step(0);
    const name = slicesOf(cluster)[0]?.metadata.name;
    cluster.edit(endpoints, "default", "db", (draft) => {
      draft.subsets = [{ addresses: [{ ip: "192.0.2.9" }], ports: [{ port: 1, protocol: "TCP" }] }];
    });
    cluster.step(0);
    expect(slicesOf(cluster)).toMatchObject([{ metadata: { name }, endpoints: [{ addresses: ["192.0.2.9"] }] }]);
    cluster.client.delete(endpoints, "default", "db");
    cluster.step(0);
    expect(slicesOf(cluster)).toEqual([]);
  });

  test("ignores Endpoints with the skip label", () => {
    const cluster = clusterWithService();
    const labels = { "endpointslice.kubernetes.io/skip-mirror": "true" };
    cluster.apply(endpoints, { metadata: { ...metadata, labels }, subsets });
    cluster.step(0);
    expect(slicesOf(cluster)).toEqual([]);
  });

  test("creates a deleted mirror again, until the Service gets a selector", () => {
    const cluster = clusterWithService();
    cluster.apply(endpoints, { metadata, subsets });
    cluster.step(0);
    cluster.client.delete(endpointSlices, "default", slicesOf(cluster)[0]?.metadata.name ?? "");
    cluster.step(0);
    expect(slicesOf(cluster)).toHaveLength(1);
    cluster.edit(services, "default", "db", ({ spec }) => {
      spec.selector = { app: "db" };
    });
    cluster.step(0);
    const managers = slicesOf(cluster).map(
      (slice) => slice.metadata.labels?.["endpointslice.kubernetes.io/managed-by"],
    );
    expect(managers).toEqual(["endpointslice-controller.k8s.io"]);
  });
});
