// Golden timelines of ingress status: every event and every step, in order.
import { expect, test } from "vitest";
import { ingressClasses } from "../../../worker/kinds/networking/ingress-class.ts";
import { ingresses } from "../../../worker/kinds/networking/ingress.ts";
import { quietCluster } from "../../cluster.ts";
import { brief } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

test("an Ingress gets its address", () => {
  const cluster = quietCluster({ nodes: 0 });
  const lines = brief(cluster, () => {
    cluster.apply(ingressClasses, { metadata: { name: "mine" }, spec: { controller: "sandbar.dev/ingress" } });
    const service = { name: "web", port: { number: 80 } };
    cluster.apply(ingresses, { metadata, spec: { ingressClassName: "mine", defaultBackend: { service } } });
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "IngressClass mine made",
      "Ingress web made",
      "Normal Sync: Scheduled for sync",
      "Ingress web: loadBalancer {ingress 1}",
    ]
  `);
});
