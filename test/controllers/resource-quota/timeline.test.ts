// Golden timelines of resource quota: every event and every step, in order.
import { expect, test } from "vitest";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import { resourceQuotas } from "../../../worker/kinds/core/resource-quota/resource-quota.ts";
import { atRest, timeline } from "../timeline.ts";

const metadata = { name: "web", namespace: "default" };

const selector = { matchLabels: { app: "web" } };

const labelled = (spec: object) => ({ metadata: { labels: { app: "web" } }, spec });

const nginx = (tag: string) => labelled({ containers: [{ name: "web", image: `nginx:${tag}` }] });

test("a quota rejects pods until usage falls", () => {
  const { cluster, from } = atRest();
  cluster.apply(resourceQuotas, { metadata: { name: "quota", namespace: "default" }, spec: { hard: { pods: "1" } } });
  cluster.step(0);
  cluster.apply(replicaSets, { metadata, spec: { replicas: 2, selector, template: nginx("1.27") } });
  cluster.step(0);
  cluster.edit(resourceQuotas, "default", "quota", ({ spec }) => {
    spec.hard = { pods: "2" };
  });
  cluster.runUntilQuiet();
  const lines = timeline(cluster, from).filter((line) => !/Pull|Created|Started|Scheduled/.test(line));
  expect(lines).toMatchInlineSnapshot(`
    [
      "ResourceQuota quota made",
      "ResourceQuota quota: hard {pods 1}, used {pods 1}",
      "ReplicaSet web made",
      "Pod web-? made",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "ReplicaSet web: replicas 1, fullyLabeledReplicas 1, terminatingReplicas 0, observedGeneration 1, conditions [ReplicaFailure=True/FailedCreate]",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "Pod web-? bound",
      "ResourceQuota quota: used {pods 1}",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "Pod web-? Running",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "ReplicaSet web: readyReplicas 1, availableReplicas 1",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "ResourceQuota quota: hard {pods 1}",
      "Pod web-? made",
      "ReplicaSet web: replicas 2, fullyLabeledReplicas 2, -conditions",
      "Pod web-? bound",
      "ResourceQuota quota: used {pods 1}",
      "Pod web-? Running",
      "ReplicaSet web: readyReplicas 2, availableReplicas 2",
    ]
  `);
});
