// Golden timelines of load balancer: every event and every step, in order.
import { expect, test } from "vitest";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { quietCluster } from "../../cluster.ts";
import { brief } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

test("a Service gets and loses its load balancer", () => {
  const cluster = quietCluster({ nodes: 1 });
  const lines = brief(cluster, (step) => {
    cluster.apply(services, {
      metadata,
      spec: { type: "LoadBalancer", clusterIP: "10.96.7.7", ports: [{ port: 80 }] },
    });
    step();
    cluster.edit(services, "default", "web", ({ spec }) => {
      spec.type = "ClusterIP";
    });
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "IPAddress 10.96.7.7 made",
      "Service web made",
      "Normal EnsuringLoadBalancer: Ensuring load balancer",
      "Normal EnsuredLoadBalancer: Ensured load balancer",
      "Service web: loadBalancer {ingress 1}",
      "Normal Type: LoadBalancer -> ClusterIP",
      "Normal DeletingLoadBalancer: Deleting load balancer",
      "Service web: loadBalancer {}",
      "Normal DeletedLoadBalancer: Deleted load balancer",
    ]
  `);
});
