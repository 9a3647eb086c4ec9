// Golden timelines of bootstrap: every event and every step, in order.
import { expect, test } from "vitest";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

function keysAndLabels(object: KubeObject): string {
  if (object.kind !== "Secret" && object.kind !== "ConfigMap") return "";
  const marks = Object.entries(object.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...Object.keys((object as Secret).data ?? {}), ...marks].join(" ");
}

test("a bootstrap token signs the cluster-info ConfigMap until it expires", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    const data = { kubeconfig: "apiVersion: v1\nkind: Config\n" };
    cluster.apply(configMaps, { metadata: { name: "cluster-info", namespace: "kube-public" }, data });
    step();
    cluster.apply(secrets, {
      metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-signing": "true",
        expiration: "2026-01-01T02:00:00Z",
      },
    });
    cluster.step(2 * 3_600_000);
  };
  const describe = (object: KubeObject) => (object.kind === "ConfigMap" ? keysAndLabels(object) : "");
  expect(story(cluster, happen, { namespaces: ["kube-system", "kube-public"], describe })).toMatchInlineSnapshot(`
    [
      "ConfigMap cluster-info made",
      "ConfigMap cluster-info has kubeconfig",
      "Secret bootstrap-token-abcdef made",
      "ConfigMap cluster-info has jws-kubeconfig-abcdef kubeconfig",
      "Secret bootstrap-token-abcdef gone",
      "ConfigMap cluster-info has kubeconfig",
    ]
  `);
});
