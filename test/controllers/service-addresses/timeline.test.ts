// Golden timelines of service addresses: every event and every step, in order.
import { expect, test } from "vitest";
import { ipAddresses } from "../../../worker/kinds/networking/ip-address.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { quietCluster } from "../../cluster.ts";
import { brief } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

test("a Service's address is deleted, repaired and released", () => {
  const cluster = quietCluster({ nodes: 0 });
  const lines = brief(cluster, (step) => {
    cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 80 }] } });
    step();
    cluster.client.delete(ipAddresses, "", "10.96.7.7");
    step();
    cluster.client.delete(services, "default", "web");
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "IPAddress 10.96.7.7 made",
      "Service web made",
      "IPAddress 10.96.7.7 gone",
      "Warning ClusterIPNotAllocated: Cluster IP [IPv4]: 10.96.7.7 is not allocated; repairing",
      "IPAddress 10.96.7.7 made",
      "Service web gone",
      "IPAddress 10.96.7.7 gone",
    ]
  `);
});
