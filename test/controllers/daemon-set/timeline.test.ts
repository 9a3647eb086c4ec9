// Golden timelines of daemon set: every event and every step, in order.
import { expect, test } from "vitest";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import { bed, workloadControllers } from "../bed.ts";
import { timeline } from "../timeline.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } };

const selector = { matchLabels: { app: "web" } };

const metadata = { name: "web", namespace: "default" };

test("a DaemonSet is created and updated", () => {
  const { cluster } = bed(workloadControllers, ["n1", "n2"]);
  const from = cluster.registry.store.revision;
  cluster.apply(daemonSets, { metadata, spec: { selector, template } });
  cluster.runUntilQuiet();
  cluster.edit(daemonSets, "default", "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = "web:2";
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "DaemonSet web made",
      "ControllerRevision web-56bc84c78 made",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "DaemonSet web: currentNumberScheduled 2, desiredNumberScheduled 2, observedGeneration 1, updatedNumberScheduled 2, numberUnavailable 2",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "DaemonSet web: numberReady 2, -numberUnavailable, numberAvailable 2",
      "ControllerRevision web-64c6d7fb89 made",
      "Pod web-? terminating",
      "Normal SuccessfulDelete: Deleted pod: web-?",
      "DaemonSet web: observedGeneration 2, -updatedNumberScheduled",
      "Pod web-? gone",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "DaemonSet web: numberReady 1, numberAvailable 1, updatedNumberScheduled 1, numberUnavailable 1",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "Pod web-? terminating",
      "Normal SuccessfulDelete: Deleted pod: web-?",
      "DaemonSet web: numberReady 2, numberAvailable 2, -numberUnavailable",
      "Pod web-? gone",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "DaemonSet web: numberReady 1, updatedNumberScheduled 2, numberAvailable 1, numberUnavailable 1",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "DaemonSet web: numberReady 2, numberAvailable 2, -numberUnavailable",
    ]
  `);
});
