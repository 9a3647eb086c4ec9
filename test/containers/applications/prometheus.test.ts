// kube-prometheus: the pods of its operator's objects come to be, as long as the operator runs.
import { expect, test } from "vitest";
import { must } from "../../../shared/base/assert.ts";
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import { customResourceDefinitions } from "../../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { quietCluster, type TestCluster } from "../../cluster.ts";

const group = "monitoring.coreos.com";

function define(cluster: TestCluster, kind: string, plural: string): void {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
  cluster.apply(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
}

function put(cluster: TestCluster, plural: string, spec: object): void {
  const draft: Draft<KubeObject> & { spec: object } = { metadata: { name: "k8s", namespace: "default" }, spec };
  cluster.apply(must(cluster.client.kindAt(`${group}/v1`, plural), plural), draft);
}

test("N8: Prometheus and Alertmanager run only in clusters with their operator", () => {
  const cluster = quietCluster({ base: "layered" });
  define(cluster, "Prometheus", "prometheuses");
  define(cluster, "Alertmanager", "alertmanagers");
  cluster.step(5000);
  put(cluster, "prometheuses", { replicas: 2, version: "3.1.0" });
  put(cluster, "alertmanagers", { replicas: 1, image: "quay.io/prometheus/alertmanager:v0.28.0" });
  cluster.step(30_000);
  expect(cluster.client.list(statefulSets)).toEqual([]);
  const labels = { app: "operator" };
  const containers = [{ name: "c", image: "quay.io/prometheus-operator/prometheus-operator:v0.79.2" }];
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  cluster.apply(deployments, { metadata: { name: "prometheus-operator", namespace: "default" }, spec });
  cluster.step(60_000);
  const ready = cluster.client
    .list(pods)
    .filter(({ status }) => status.containerStatuses?.every((containerStatus) => containerStatus.ready));
  const names = ready.map(({ metadata }) => metadata.name).filter((name) => /-k8s-\d$/.test(name ?? ""));
  expect(names).toEqual(["alertmanager-k8s-0", "prometheus-k8s-0", "prometheus-k8s-1"]);
  expect(cluster.get(statefulSets, "default", "prometheus-k8s").spec.template.spec.containers[0]?.image).toBe(
    "quay.io/prometheus/prometheus:v3.1.0",
  );
});
