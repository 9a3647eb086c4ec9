import { expect, test } from "vitest";
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { endpointSlices } from "../../../worker/kinds/discovery/endpoint-slice.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { serviceCidrs } from "../../../worker/kinds/networking/service-cidr.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { newCluster } from "../../cluster.ts";

test("a Service of both families has slices of both, with the pods' addresses of each", () => {
  const cluster = newCluster({ nodes: 0 });
  cluster.step(0);
  cluster.edit(serviceCidrs, "", "kubernetes", ({ spec }) => {
    spec.cidrs = ["10.96.0.0/12", "fd00:10:96::/112"];
  });
  cluster.apply(nodes, {
    metadata: { name: "both", annotations: { "sandbar.dev/simulated": "true" } },
    spec: { podCIDR: "10.250.0.0/24", podCIDRs: ["10.250.0.0/24", "fd00:10:250::/64"] },
  });
  cluster.runUntilQuiet();
  cluster.apply(pods, {
    metadata: { name: "web", namespace: "default", labels: { app: "web" } },
    spec: { nodeName: "both", containers: [{ name: "web", image: "nginx:1" }] },
  });
  cluster.apply(services, {
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ipFamilyPolicy: "PreferDualStack" },
  });
  cluster.runUntilQuiet();
  const [four, six] = cluster.get(pods, "default", "web").status.podIPs ?? [];
  expect(four?.ip).toMatch(/^10\.250\.0\./);
  expect(six?.ip).toMatch(/^fd00:10:250::/);
  const slices = cluster.client
    .list<EndpointSlice>(endpointSlices, { namespace: "default" })
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web");
  const firstAddresses = slices.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses[0]]);
  expect(firstAddresses.toSorted()).toEqual([
    ["IPv4", four?.ip],
    ["IPv6", six?.ip],
  ]);
});
