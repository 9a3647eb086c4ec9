// Golden timelines of api service availability: every event and every step, in order.
import { expect, test } from "vitest";
import type { OutboundAnswer } from "../../../shared/k8s/outbound-call.ts";
import { apiServices } from "../../../worker/kinds/apiregistration/api-service.ts";
import { endpoints } from "../../../worker/kinds/core/endpoints.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

test("an aggregated API becomes available when its Service exists, has endpoints and answers", () => {
  let answer: OutboundAnswer = { ok: false, message: "connect: connection refused" };
  const cluster = quietCluster({ nodes: 0, answer: () => answer });
  const happen = (step: (ms?: number) => void) => {
    cluster.apply(apiServices, {
      metadata: { name: "v1.things.example.com" },
      spec: {
        group: "things.example.com",
        version: "v1",
        service: { namespace: "default", name: "web" },
        groupPriorityMinimum: 2000,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
      },
    });
    step();
    cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 443 }] } });
    step();
    const subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 443 }] }];
    cluster.apply(endpoints, { metadata, subsets });
    step();
    answer = { ok: true, status: 200, body: "{}" };
    step(400_000);
    cluster.client.delete(services, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: [""] })).toMatchInlineSnapshot(`
    [
      "APIService v1.things.example.com made",
      "APIService v1.things.example.com: conditions [Available=False/ServiceNotFound]",
      "IPAddress 10.96.7.7 made",
      "APIService v1.things.example.com: conditions [Available=False/EndpointsNotFound]",
      "APIService v1.things.example.com: conditions [Available=False/FailedDiscoveryCheck]",
      "APIService v1.things.example.com: conditions [Available=True/Passed]",
      "IPAddress 10.96.7.7 gone",
      "APIService v1.things.example.com: conditions [Available=False/ServiceNotFound]",
    ]
  `);
});
