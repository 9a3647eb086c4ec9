// Golden timelines of service cidr: every event and every step, in order.
import { expect, test } from "vitest";
import { serviceCidrs } from "../../../worker/kinds/networking/service-cidr.ts";
import { quietCluster } from "../../cluster.ts";
import { brief } from "../story.ts";

test("a ServiceCIDR is created and deleted", () => {
  const cluster = quietCluster({ nodes: 0 });
  const lines = brief(cluster, (step) => {
    cluster.apply(serviceCidrs, { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/24"] } });
    step();
    cluster.client.delete(serviceCidrs, "", "more");
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "ServiceCIDR more made",
      "ServiceCIDR more: conditions [Ready=True/]",
      "ServiceCIDR more gone",
    ]
  `);
});
